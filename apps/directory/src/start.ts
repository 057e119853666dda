import { startWorker } from '@idsync/messaging';
import type { DirectoryConfig, ObservedService } from '@idsync/runtime';
import { DirectoryModule } from './directory.module.js';

export async function startDirectory(config: DirectoryConfig): Promise<ObservedService> {
  return startWorker('directory', config, DirectoryModule.forRoot(config));
}
