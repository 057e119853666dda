import type { PersonStatus } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { statusRank } from './derive-status.js';

/**
 * Returns the records without the users that are not the primary employment of their source. The primary employment is
 * the most active user of the source, then the one with the latest hire date, then the lowest external id.
 */
export function primaryEmployments(records: readonly StoredRecord[]): StoredRecord[] {
  const primary = new Map<string, StoredRecord>();
  for (const record of records) {
    if (record.kind !== 'user') continue;
    const other = primary.get(record.connectorId);
    if (other === undefined || precedes(record, other)) primary.set(record.connectorId, record);
  }
  return records.filter((record) => record.kind !== 'user' || primary.get(record.connectorId) === record);
}

/** Returns true if the first of two users is rather the primary employment. */
export function precedes(a: StoredRecord, b: StoredRecord): boolean {
  const byStatus = rankOf(a) - rankOf(b);
  if (byStatus !== 0) return byStatus < 0;
  const [hiredA, hiredB] = [hireDateOf(a), hireDateOf(b)];
  return hiredA === hiredB ? a.externalId < b.externalId : hiredA > hiredB;
}

function rankOf({ status }: StoredRecord): number {
  return statusRank.indexOf(status as PersonStatus);
}

/** An ISO date, which sorts as text; empty if the source gives none. */
function hireDateOf({ fields }: StoredRecord): string {
  return fields.hire_date?.[0] ?? '';
}
