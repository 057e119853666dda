import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import { deletionsOf } from './planned-changes.js';

const now = new Date('2026-06-01T00:00:00Z');
const job = { id: uuid(901), batchesTotal: 3 };

describe('the deletions of a sweep', () => {
  it('spare a record that a single-record job has just read', () => {
    const [read, missing] = [storedRecord(1), storedRecord(2)];
    const deleted = deletionsOf([read, missing], new Set(['r1']), job, now);
    expect(deleted.map(({ before }) => before)).toEqual([missing]);
  });

  it('spare a record that is already deleted', () => {
    const records = [
      storedRecord(1, { status: 'deleted' }),
      storedRecord(2, { kind: 'machine_identity', status: 'decommissioned' }),
    ];
    expect(deletionsOf(records, new Set(), job, now)).toEqual([]);
  });

  it.each([
    ['user', 'deleted'],
    ['account', 'deleted'],
    ['machine_identity', 'decommissioned'],
  ] as const)('leave a %s with its values and person, as %s and without a hash', (kind, status) => {
    const before = storedRecord(1, { kind, identityId: uuid(100), fields: { email: ['a@x.org'] } });
    expect(deletionsOf([before], new Set(), job, now)).toEqual([
      {
        before,
        record: { ...before, status, contentHash: Buffer.alloc(0), lastJobId: job.id, lastSeq: 3, updatedAt: now },
      },
    ]);
    expect(before.updatedAt).toEqual(beginning);
  });

  it('have batch number 0 if the number of batches is unknown', () => {
    const [change] = deletionsOf([storedRecord(1)], new Set(), { ...job, batchesTotal: null }, now);
    expect(change?.record.lastSeq).toBe(0);
  });
});
