import { gatewayEnvironment, readEnv, runService, startObserved } from '@idsync/runtime';
import { startGateway } from './start.js';

await runService(
  'gateway',
  async (stopping) => {
    const config = readEnv(gatewayEnvironment);
    return startObserved('gateway', config, stopping, () => startGateway(config, { stopping }));
  },
  { hasSmallHeap: false },
);
