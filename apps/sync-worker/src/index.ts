export { type SyncWorkerOptions, startSyncWorker } from './start.js';
