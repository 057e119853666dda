import { directoryEnvironment, readEnv, runService, startObserved } from '@idsync/runtime';
import { startDirectory } from './start.js';

await runService('directory', async (stopping) => {
  const env = readEnv(directoryEnvironment);
  return startObserved('directory', env, stopping, () => startDirectory(env));
});
