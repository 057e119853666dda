import type { StoredRecord } from '@idsync/database/directory';
import type { LinkStrengthOf } from './link-strength.js';
import { isDeleted } from './record-keys.js';

/** Returns true for an account or machine that keeps its identity regardless of its keys. */
export function isSettled(record: StoredRecord, linkStrengthOf: LinkStrengthOf): boolean {
  if (record.identityId === undefined) return false;
  return record.kind === 'account' ? linkStrengthOf(record) !== 'loose' || isDeleted(record) : record.decided;
}
