// A dispatcher with the settings of its first argument: leases and a schedule short enough to expire during a test.
import { dispatcherEnvironment, readEnv, runService } from '@idsync/runtime';
import { startWebhookDispatcher } from '../dist/index.js';

await runService('webhook-dispatcher', async () =>
  startWebhookDispatcher(readEnv(dispatcherEnvironment), JSON.parse(process.argv[2])),
);
