import { readEnv, runService, standaloneEnvironment } from '@idsync/runtime';
import { startStandalone } from './start-standalone.js';

await runService('idsync', async (stopping) =>
  startStandalone(readEnv(standaloneEnvironment), process.stdout, stopping),
);
