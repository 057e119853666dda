export { eachTenant, searchAndWork } from './by-tenant.js';
export {
  type AnnounceEvents,
  Database,
  type DatabaseOptions,
  isRetryable,
  type NamedQuery,
  setLockTimeout,
  type Transaction,
} from './database.js';
export { DatabaseModule, type DatabaseModuleOptions } from './database.module.js';
export { DatabaseBusy, type Share } from './fair-shares.js';
export { pipelined } from './pipelined.js';
export { decrypt, encrypt, keyPrefix } from './secret-box.js';
export { isTimeout, isUnavailable, lockNotAvailable, sqlState, uniqueViolation } from './sql-state.js';
export { anchorHash, type SuppressionHash, suppressionHashes } from './suppression-hashes.js';
export { asTenant } from './transaction-settings.js';
