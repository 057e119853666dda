import { dispatcherEnvironment, readEnv, runService, startObserved } from '@idsync/runtime';
import { startWebhookDispatcher } from './start.js';

await runService('webhook-dispatcher', async (stopping) => {
  const env = readEnv(dispatcherEnvironment);
  return startObserved('webhook-dispatcher', env, stopping, () =>
    startWebhookDispatcher({
      databaseUrl: env.DATABASE_URL,
      amqpUrl: env.AMQP_URL,
      encryptionKeys: [env.ENCRYPTION_KEY, ...env.ENCRYPTION_KEYS_PREVIOUS],
      allowedCidrs: env.WEBHOOK_ALLOW_CIDRS,
      logLevel: env.LOG_LEVEL,
    }),
  );
});
