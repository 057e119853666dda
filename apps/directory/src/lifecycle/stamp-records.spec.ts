import { defaultLifecyclePolicy } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord } from '../../test/stored-record.js';
import type { RecordChange } from '../changes/record-change.js';
import { maxAgeMs } from '../machines/machine-risk.js';
import { stampLifecycle, stampTimes } from './stamp-records.js';

const now = new Date('2026-06-01T00:00:00Z');

const policy = { ...defaultLifecyclePolicy, grace_days: 10, retention_days: 20 };
const [graceMs, retentionMs] = [10, 20].map((days) => days * 24 * 60 * 60 * 1_000) as [number, number];
const hireDate = '2026-07-01T00:00:00.000Z';
const after = (ms: number) => new Date(now.getTime() + ms);

function stamped(parts: Partial<StoredRecord>, before?: Partial<StoredRecord>): StoredRecord {
  const record = storedRecord(1, parts);
  stampLifecycle({ record, ...(before && { before: storedRecord(1, before) }) }, policy, { now, at: now });
  return record;
}

describe('the start of the status of a record', () => {
  it('is now for a new record and for a changed status', () => {
    expect(stamped({}).statusSince).toEqual(now);
    expect(stamped({ status: 'inactive' }, { status: 'active' }).statusSince).toEqual(now);
  });

  it('remains if other values change', () => {
    expect(stamped({ fields: { email: ['a@x.org'] } }, {}).statusSince).toEqual(beginning);
  });

  it('and the due time of an unchanged record remain', () => {
    const record = storedRecord(1, { status: 'inactive' });
    stampLifecycle({ record, before: record }, policy, { now, at: now });
    expect([record.statusSince, record.dueAt]).toEqual([beginning, undefined]);
  });
});

describe('the next time-based change', () => {
  it('of a pending user is the hire date', () => {
    expect(stamped({ status: 'pending', fields: { hire_date: [hireDate] } }).dueAt).toEqual(new Date(hireDate));
  });

  it('of an active user is the end of the termination date', () => {
    const fields = { termination_date: [hireDate] };
    expect(stamped({ fields }).dueAt).toEqual(new Date('2026-07-02'));
  });

  it('of an inactive user is the end of the grace period since the status began', () => {
    expect(stamped({ status: 'inactive' }).dueAt).toEqual(after(graceMs));
    expect(stamped({ status: 'inactive' }, { status: 'inactive' }).dueAt).toEqual(
      new Date(beginning.getTime() + graceMs),
    );
  });

  it('of a deleted record is the end of its retention if the source no longer lists it', () => {
    expect(stamped({ status: 'deleted', contentHash: Buffer.alloc(0) }).dueAt).toEqual(after(retentionMs));
  });

  it.each([
    ['user', 'deleted'],
    ['account', 'deleted'],
    ['machine_identity', 'decommissioned'],
  ] as const)('of a %s that the source reports as %s is the end of its retention', (kind, status) => {
    expect(stamped({ kind, status, fields: { status: [status] } }).dueAt).toEqual(after(retentionMs));
  });

  it('of a leaver who is deleted after the grace period is absent while the source lists them', () => {
    expect(stamped({ status: 'deleted', fields: { status: ['inactive'] } }).dueAt).toBeUndefined();
  });

  it('of a machine is its next review', () => {
    const fields = { 'attributes.last_used_at': [now.toISOString()] };
    expect(stamped({ kind: 'machine_identity', fields }).dueAt).toEqual(after(maxAgeMs));
  });

  it('of an account, and of an active user, is absent', () => {
    const fields = { hire_date: [hireDate] };
    expect(stamped({ kind: 'account', status: 'disabled', fields }).dueAt).toBeUndefined();
    expect(stamped({ fields }, { dueAt: now }).dueAt).toBeUndefined();
  });
});

const at = new Date('2026-06-01T00:00:09Z');
const [preliminary, assigned] = [now.toISOString(), at.toISOString()];

const timed = (change: RecordChange) => {
  stampTimes([change], { now, at });
  return change.record;
};
const before = storedRecord(1, {
  fields: { job_title: ['Clerk'], email: ['ann@example.com'] },
  changedAt: { email: preliminary },
});

describe('the assigned time', () => {
  it('becomes the creation and the update of a new record', () => {
    const record = timed({ record: storedRecord(1, { createdAt: now, updatedAt: now }) });
    expect(record).toMatchObject({ createdAt: at, updatedAt: at });
  });

  it('becomes the update of a changed record and of its changed fields only', () => {
    const fields = { ...before.fields, job_title: ['Chief'] };
    const changedAt = { email: preliminary, job_title: preliminary };
    const record = timed({ before, record: { ...before, fields, changedAt, updatedAt: now } });
    expect(record).toMatchObject({ createdAt: beginning, updatedAt: at });
    expect(record.changedAt).toEqual({ email: preliminary, job_title: assigned });
  });

  it('does not become the update of a record that keeps its time, nor of an unchanged one', () => {
    expect(timed({ before, record: { ...before } }).updatedAt).toBe(before.updatedAt);
    expect(timed({ before, record: before })).toBe(before);
  });

  it('replaces a time of the same millisecond as the stored one', () => {
    const record = { ...before, updatedAt: new Date(before.updatedAt) };
    expect(timed({ before, record }).updatedAt).toBe(at);
  });
});
