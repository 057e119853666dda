// A dispatcher with the settings of its first argument: leases and a schedule so short that a test sees them run out.
import { dispatcherEnvironment, readEnv, runService } from '@idsync/runtime';
import { startWebhookDispatcher } from '../dist/index.js';

await runService('webhook-dispatcher', async () => {
  const env = readEnv(dispatcherEnvironment);
  return startWebhookDispatcher({
    databaseUrl: env.DATABASE_URL,
    amqpUrl: env.AMQP_URL,
    encryptionKeys: [env.ENCRYPTION_KEY],
    allowedCidrs: env.WEBHOOK_ALLOW_CIDRS,
    logLevel: env.LOG_LEVEL,
    ...JSON.parse(process.argv[2]),
  });
});
