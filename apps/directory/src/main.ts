import { directoryEnvironment, readEnv, runService } from '@idsync/runtime';
import { startDirectory } from './start.js';

await runService('directory', async () => {
  const env = readEnv(directoryEnvironment);
  return startDirectory({ databaseUrl: env.DATABASE_URL, amqpUrl: env.AMQP_URL, logLevel: env.LOG_LEVEL });
});
