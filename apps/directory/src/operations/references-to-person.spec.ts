import { defaultMatchingRules, type RecordKind } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { identifying, namesOn, rolesByRecord, textsOfOthers, withoutPerson } from './references-to-person.js';

const time = new Date('2026-01-01T00:00:00Z');

function record(kind: RecordKind, fields: StoredRecord['fields'], previous?: StoredRecord['fields']): StoredRecord {
  const state = {
    fields,
    status: 'active',
    changedAt: {},
    contentHash: Buffer.from('hash'),
    lastJobId: 'j1',
    lastSeq: 0,
  };
  return {
    ...{ id: 'r1', kind, connectorId: 'c1', externalId: '1', createdAt: time, updatedAt: time, document: '{}' },
    ...{ decided: false, statusSince: time },
    ...state,
    ...(previous && { previous: { ...state, contentHash: 'hash', fields: previous } }),
  };
}

const ada = { ...record('user', { email: ['ada@x.org'], departments: ['Sales'] }), externalId: 'E7' };
const person = identifying(
  [ada],
  [
    { field: 'email', value: 'old@x.org' },
    { field: 'departments', value: 'Support' },
  ],
  defaultMatchingRules,
);
const none = rolesByRecord([]);

describe('a record that refers to a person', () => {
  it('loses the references that are known by role', () => {
    const user = record('user', { manager_id: ['E7'], email: ['bob@x.org'] });
    const naming = rolesByRecord([{ recordId: 'r1', role: 'manager_id' }]);
    expect(withoutPerson(user, naming, person).fields).toEqual({ email: ['bob@x.org'] });
  });

  it('gives a machine to its technical inheritor if the person was the owner', () => {
    const machine = record('machine_identity', { owned_by: ['E7'], technical_inheritor: ['E8'] });
    const naming = rolesByRecord([{ recordId: 'r1', role: 'owned_by' }]);
    expect(withoutPerson(machine, naming, person).fields).toEqual({ owned_by: ['E8'], technical_inheritor: ['E8'] });
  });

  it.each([
    ['an id in a source', ' e7'],
    ['a key in another case', 'ADA@x.org'],
    ['a former key', 'Old@x.org'],
  ])('loses a former reference by %s in its earlier state', (_, text) => {
    const user = record('user', { manager_id: ['E8'] }, { manager_id: [text], job_title: ['Clerk'] });
    expect(withoutPerson(user, none, person).previous?.fields).toEqual({ job_title: ['Clerk'] });
  });

  it('keeps an earlier reference by a value that is no key, or by the text of its present manager', () => {
    const support = record('user', { manager_id: ['E8'] }, { manager_id: ['Support'] });
    expect(withoutPerson(support, none, person)).toEqual(support);
    const reused = record('user', { manager_id: ['OLD@x.org'] }, { manager_id: ['old@x.org'] });
    expect([...textsOfOthers(reused, none)]).toEqual(['old@x.org']);
    expect(withoutPerson(reused, none, person)).toEqual(reused);
  });

  it('is a machine with a match key of the person, now or earlier, and no user', () => {
    const fields = { email: ['Ada@X.org'], display_name: ['Bot'] };
    const [machine, user] = [record('machine_identity', fields), record('user', fields)];
    expect([...namesOn(machine, none, person)]).toEqual([['email', ['Ada@X.org']]]);
    expect([...namesOn(user, none, person)]).toEqual([]);
    const earlier = record('machine_identity', { email: ['bot@x.org'] }, fields);
    expect(withoutPerson(earlier, none, person).previous?.fields).toEqual({ display_name: ['Bot'] });
  });
});
