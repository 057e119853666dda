export { startSyncWorker } from './start.js';
