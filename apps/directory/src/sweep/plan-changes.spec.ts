import { defaultLifecyclePolicy, defaultMatchingRules, safeguard } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import type { RecordChange } from '../changes/record-change.js';
import { withSoonEnd } from './ends-soon.js';
import { destructiveActionOf } from './guard.js';
import { countedChanges } from './plan-changes.js';
import { deletionsOf } from './planned-changes.js';
import { isSetAside } from './set-aside.js';

const guard = { ...safeguard.parse({}), changed_fields: ['email', 'job_title'] };
const ann = { employee_number: ['17'], display_name: ['Ann Lee'], email: ['ann@x.org'], roles: ['a'] };
const karl = { employee_number: ['18'], display_name: ['Karl Berg'], email: ['karl@x.org'] };
const before = storedRecord(1, { fields: ann });
const changed = (parts: Partial<typeof before>): RecordChange => {
  return { before, record: { ...before, lastJobId: uuid(901), ...parts } };
};
const counted = (change: RecordChange, by: typeof guard | undefined = guard) =>
  countedChanges(change, by, defaultMatchingRules);

describe('what the safeguard counts of a change', () => {
  it.each([
    [{ ...ann, email: ['anna@x.org'] }, ['email']],
    [{ ...ann, email: [] }, ['email']],
    [{ ...ann, roles: ['b'] }, []],
    [{ ...ann, job_title: ['CEO'] }, []],
    [ann, []],
    [karl, ['email', 'reused']],
  ])('is a field that has another value or none, and an id of another person: %j', (fields, expected) => {
    expect(counted(changed({ fields }))).toEqual(expected);
  });

  it('is a termination date where there was none, and no other new value', () => {
    const end = (date: string) =>
      countedChanges(
        changed({ fields: { ...ann, termination_date: [date] } }),
        { ...guard, changed_fields: ['termination_date'] },
        defaultMatchingRules,
      );
    expect(end('2027-01-01T00:00:00.000Z')).toEqual(['termination_date']);
    expect(end('9999-12-31T00:00:00.000Z')).toEqual([]);
  });

  it('is a return to active', () => {
    const inactive = storedRecord(1, { fields: ann, status: 'inactive' });
    expect(counted({ before: inactive, record: { ...inactive, status: 'active' } })).toEqual(['enabled']);
  });

  it('is no field without a safeguard for fields, or of a new record', () => {
    expect(countedChanges(changed({ fields: karl }), undefined, defaultMatchingRules)).toEqual(['reused']);
    expect(counted({ record: before })).toEqual([]);
  });
});

describe('a change waits for the sweep', () => {
  const isAside = (change: RecordChange, by: typeof guard | undefined = guard) =>
    isSetAside(change, by, defaultMatchingRules);

  it('if it disables or deletes, or changes a field that the safeguard counts', () => {
    for (const status of ['inactive', 'deleted']) expect(isAside(changed({ status }))).toBe(true);
    expect(isAside(changed({ fields: { ...ann, email: ['anna@x.org'] } }))).toBe(true);
    expect(isAside(changed({ fields: { ...ann, roles: ['b'] } }))).toBe(false);
  });

  it('if it adds a person to a source with people', () => {
    expect(isAside({ record: before })).toBe(true);
    expect(isSetAside({ record: before }, undefined, defaultMatchingRules)).toBe(false);
    expect(isAside(changed({}))).toBe(false);
  });
});

describe('a change of the termination date', () => {
  const now = new Date('2026-11-29T15:00:00Z');
  const fieldsOf = (end: string | undefined) => ({ ...(end && { termination_date: [end] }) });
  const actionOf = ([was, end]: [string | undefined, string | undefined], { hours = 24, status = 'active' } = {}) =>
    destructiveActionOf(
      withSoonEnd(
        {
          before: storedRecord(1, { status, fields: fieldsOf(was) }),
          record: storedRecord(1, { status, fields: fieldsOf(end) }),
        },
        safeguard.parse({ within_hours: hours }),
        { policy: defaultLifecyclePolicy, now },
      ),
    );

  it.each([
    ['in some seconds', '2026-11-29T15:00:40.000Z', 'disable'],
    ['within the hours of the safeguard', '2026-11-30T14:59:00.000Z', 'disable'],
    ['later', '2026-11-30T15:01:00.000Z', undefined],
    ['today', '2026-11-29T00:00:00.000Z', 'disable'],
    ['tomorrow', '2026-11-30T00:00:00.000Z', 'disable'],
    ['the day after tomorrow', '2026-12-01T00:00:00.000Z', undefined],
  ])('to %s disables the user: %s', (_, end, action) => {
    expect(actionOf([undefined, end])).toBe(action);
    expect(actionOf(['2027-06-30T00:00:00.000Z', end])).toBe(action);
    expect(actionOf([undefined, end], { status: 'inactive' })).toBeUndefined();
  });

  it('counts once, and neither if it was soon before nor if each run counts separately', () => {
    const soon: [string, string] = ['2026-11-30T00:00:00.000Z', '2026-11-29T16:00:00.000Z'];
    expect(actionOf(soon)).toBeUndefined();
    expect(actionOf([undefined, soon[1]], { hours: 0 })).toBeUndefined();
  });
});

describe('the deletions of a sweep', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const job = { id: uuid(901), batchesTotal: 3 };

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
