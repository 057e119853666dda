import { dispatcherEnvironment, readEnv, runService, startObserved } from '@idsync/runtime';
import { startWebhookDispatcher } from './start.js';

await runService('webhook-dispatcher', async (stopping) => {
  const env = readEnv(dispatcherEnvironment);
  return startObserved('webhook-dispatcher', env, stopping, () => startWebhookDispatcher(env));
});
