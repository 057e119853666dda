import type { StoredRecord } from '@idsync/database/directory';

/** A bare uuid that ends with this number, so that ids are readable and ordered in a test. */
export const uuid = (nth: number): string => `01900000-0000-7000-8000-${String(nth).padStart(12, '0')}`;

export const beginning = new Date('2026-01-01T00:00:00Z');

/** A record of source 1, without values, as the database returns it. */
export function storedRecord(nth: number, parts: Partial<StoredRecord> = {}): StoredRecord {
  return {
    id: uuid(nth),
    kind: 'user',
    connectorId: uuid(1),
    externalId: `r${nth}`,
    status: 'active',
    contentHash: Buffer.alloc(16),
    fields: {},
    changedAt: {},
    createdAt: beginning,
    updatedAt: beginning,
    document: '{}',
    lastJobId: uuid(900),
    lastSeq: 0,
    decided: false,
    statusSince: beginning,
    ...parts,
  };
}
