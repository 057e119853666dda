import { defaultMatchingRules, safeguard } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import type { RecordChange } from '../changes/record-change.js';
import { countedChanges } from './plan-changes.js';
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
