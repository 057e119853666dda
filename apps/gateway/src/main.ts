import { gatewayEnvironment, readEnv, runService, startObserved } from '@idsync/runtime';
import { startGateway } from './start.js';

await runService('gateway', async (stopping) => {
  const env = readEnv(gatewayEnvironment);
  return startObserved('gateway', env, stopping, () =>
    startGateway({
      stopping,
      databaseUrl: env.DATABASE_URL,
      amqpUrl: env.AMQP_URL,
      host: env.HOST,
      port: env.PORT,
      adminToken: env.ADMIN_TOKEN,
      encryptionKeys: [env.ENCRYPTION_KEY, ...env.ENCRYPTION_KEYS_PREVIOUS],
      allowedCidrs: env.WEBHOOK_ALLOW_CIDRS,
      requestsPerMinute: env.RATE_LIMIT_PER_MINUTE,
      logLevel: env.LOG_LEVEL,
    }),
  );
});
