import { startWorker } from '@idsync/messaging';
import type { ObservedService, SyncWorkerConfig } from '@idsync/runtime';
import { SyncWorkerModule } from './sync-worker.module.js';

export async function startSyncWorker(config: SyncWorkerConfig): Promise<ObservedService> {
  return startWorker('sync-worker', config, SyncWorkerModule.forRoot(config));
}
