import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord } from '../../test/stored-record.js';
import type { RecordChange } from '../changes/record-change.js';
import { stampTimes } from './stamp-records.js';

const now = new Date('2026-06-01T00:00:00Z');
const at = new Date('2026-06-01T00:00:09Z');
const [preliminary, assigned] = [now.toISOString(), at.toISOString()];

const stamped = (change: RecordChange) => {
  stampTimes([change], { now, at });
  return change.record;
};
const before = storedRecord(1, {
  fields: { job_title: ['Clerk'], email: ['ann@example.com'] },
  changedAt: { email: preliminary },
});

describe('the assigned time', () => {
  it('becomes the creation and the update of a new record', () => {
    const record = stamped({ record: storedRecord(1, { createdAt: now, updatedAt: now }) });
    expect(record).toMatchObject({ createdAt: at, updatedAt: at });
  });

  it('becomes the update of a changed record and of its changed fields only', () => {
    const fields = { ...before.fields, job_title: ['Chief'] };
    const changedAt = { email: preliminary, job_title: preliminary };
    const record = stamped({ before, record: { ...before, fields, changedAt, updatedAt: now } });
    expect(record).toMatchObject({ createdAt: beginning, updatedAt: at });
    expect(record.changedAt).toEqual({ email: preliminary, job_title: assigned });
  });

  it('does not become the update of a record that keeps its time, nor of an unchanged one', () => {
    expect(stamped({ before, record: { ...before } }).updatedAt).toBe(before.updatedAt);
    expect(stamped({ before, record: before })).toBe(before);
  });

  it('replaces a time of the same millisecond as the stored one', () => {
    const record = { ...before, updatedAt: new Date(before.updatedAt) };
    expect(stamped({ before, record }).updatedAt).toBe(at);
  });
});
