export { AlreadyRunningError, lockDataDir } from './data-dir-lock.js';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
export { PostgresLostError } from './supervise.js';
