import { dispatcherEnvironment, readEnv, runService } from '@idsync/runtime';
import { startWebhookDispatcher } from './start.js';

await runService('webhook-dispatcher', async () => {
  const env = readEnv(dispatcherEnvironment);
  return startWebhookDispatcher({
    databaseUrl: env.DATABASE_URL,
    amqpUrl: env.AMQP_URL,
    encryptionKeys: [env.ENCRYPTION_KEY, ...env.ENCRYPTION_KEYS_PREVIOUS],
    allowedCidrs: env.WEBHOOK_ALLOW_CIDRS,
    logLevel: env.LOG_LEVEL,
  });
});
