import { compareEmployments, type PersonStatus, type RankedEmployment } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';

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
  const compared = compareEmployments(employmentOfUser(a), employmentOfUser(b));
  return compared === 0 ? a.externalId < b.externalId : compared < 0;
}

function employmentOfUser({ status, fields }: StoredRecord): RankedEmployment {
  return { status: status as PersonStatus, hireDate: fields.hire_date?.[0] ?? '' };
}
