import { defaultFindingPolicy, encodeId } from '@idsync/contracts';
import type { OtherFacts, SourceFacts, UserFacts } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { uuid } from '../../test/stored-record.js';
import { findingOfSource, findingsOfOther, findingsOfUser } from './findings-of.js';

const now = new Date('2026-01-10T00:00:00Z');
const kinds = (findings: readonly { kind: string }[]) => findings.map(({ kind }) => kind);

describe('a user', () => {
  const user: UserFacts = {
    id: uuid(1),
    connectorId: uuid(2),
    identityId: uuid(3),
    status: 'active',
    managerText: null,
    managerId: null,
    managerStatus: null,
    earlierIds: null,
    leftUserId: null,
    endedUserId: null,
    endedConnectorId: null,
    endedAt: null,
    leftConnectorId: null,
    leftAt: null,
    machineAttribute: null,
  };

  it.each([
    ['without a manager', {}, []],
    ['with an unknown manager', { managerText: '1044' }, ['unknown_manager']],
    ['with a known manager', { managerText: '1044', managerId: uuid(4) }, []],
    ['with a manager who has left', { managerId: uuid(4), managerStatus: 'deleted' }, ['unknown_manager']],
    ['with a manager who is suspended', { managerId: uuid(4), managerStatus: 'suspended' }, []],
    ['who is their own manager and leaves', { managerId: uuid(3), managerStatus: 'inactive' }, []],
    ['with a placeholder as the manager', { managerText: ' N/A ' }, []],
    ['listed a second time', { earlierIds: [uuid(5)] }, ['duplicate_in_source']],
    ['who left another source', { leftUserId: uuid(6), leftConnectorId: uuid(7) }, ['leaver_in_other_source']],
    ['who left no other source, for lack of a user', { leftConnectorId: uuid(7) }, []],
    ['who left no other source, for lack of a source', { leftUserId: uuid(6) }, []],
    [
      'who has left another employer',
      { endedUserId: uuid(6), endedConnectorId: uuid(7), endedAt: now },
      ['employment_conflict'],
    ],
    ['with an attribute of machines', { machineAttribute: 'servicePrincipalName' }, ['user_looks_like_machine']],
    ['with both', { earlierIds: [uuid(5)], managerText: 'x9' }, ['duplicate_in_source', 'unknown_manager']],
  ] as [string, Partial<UserFacts>, string[]][])('%s has the right findings', (_, facts, expected) => {
    expect(kinds(findingsOfUser({ ...user, ...facts }))).toEqual(expected);
  });

  it('that a source lists very often has at most 20 others in the evidence', () => {
    const earlierIds = Array.from({ length: 30 }, (_, nth) => uuid(nth + 10));
    expect(findingsOfUser({ ...user, earlierIds })[0]?.evidence.earlier_user_ids).toHaveLength(20);
  });

  it('names the identity of the person in a finding, if there is one', () => {
    const facts = { ...user, managerText: '1044' };
    expect(findingsOfUser(facts)).toMatchObject([{ subjectId: uuid(1), identityId: uuid(3) }]);
    expect(findingsOfUser({ ...facts, identityId: null })[0]?.identityId).toBeUndefined();
  });

  it('has no value of the manager in the evidence', () => {
    expect(JSON.stringify(findingsOfUser({ ...user, managerText: 'bob@x.org' }))).not.toContain('bob');
  });
});

describe('an account or machine identity', () => {
  const account: OtherFacts = {
    id: uuid(1),
    kind: 'account',
    connectorId: uuid(2),
    identityId: uuid(3),
    status: 'active',
    createdAt: new Date('2026-01-09T00:00:00Z'),
    identityStatus: 'active',
    ownerId: null,
    ownerStatus: null,
    handedOver: false,
    isReturning: false,
    leftAt: null,
    hireDate: null,
    terminationDates: null,
    machineAttribute: null,
    caseId: null,
  };
  const machine: OtherFacts = { ...account, kind: 'machine_identity', ownerId: uuid(4), ownerStatus: 'active' };

  it.each([
    ['account of an active person', account, []],
    ['account of a suspended person', { ...account, identityStatus: 'suspended' }, []],
    ['account of an inactive person', { ...account, identityStatus: 'inactive' }, ['leaver_with_account']],
    ['account of a deleted person', { ...account, identityStatus: 'deleted' }, ['leaver_with_account']],
    ['account of a person who is to begin', { ...account, identityStatus: 'pending' }, []],
    [
      'account of a person who is to return',
      { ...account, identityStatus: 'pending', isReturning: true },
      ['leaver_with_account'],
    ],
    ['account without a person for a day', { ...account, identityId: null }, ['unmatched_account']],
    [
      'account without a person for a moment less',
      { ...account, identityId: null, createdAt: new Date('2026-01-09T00:00:00.001Z') },
      [],
    ],
    [
      'account with an attribute of machines and without a person',
      { ...account, identityId: null, machineAttribute: 'servicePrincipalName' },
      ['unmatched_account', 'account_looks_like_machine'],
    ],
    ['machine of an active owner', { ...machine, machineAttribute: 'servicePrincipalName' }, []],
    ['machine of a suspended owner', { ...machine, ownerStatus: 'suspended' }, []],
    ['machine of a leaver', { ...machine, ownerStatus: 'inactive' }, ['leaver_with_machine_secret']],
    [
      'machine of an owner who is to return',
      { ...machine, ownerStatus: 'pending', isReturning: true },
      ['leaver_with_machine_secret'],
    ],
    ['machine whose owner was purged', { ...machine, ownerStatus: null }, ['machine_without_owner']],
    ['machine without an owner', { ...machine, ownerId: null, ownerStatus: null }, ['machine_without_owner']],
  ] as [string, OtherFacts, string[]][])('%s', (_, facts, expected) => {
    expect(kinds(findingsOfOther(facts, defaultFindingPolicy, now))).toEqual(expected);
  });
});

describe('the evidence about a leaver', () => {
  it('names the identity and its status, for an account and for a machine', () => {
    const facts: Omit<OtherFacts, 'kind'> = {
      id: uuid(1),
      connectorId: uuid(2),
      identityId: uuid(3),
      status: 'active',
      createdAt: now,
      identityStatus: 'inactive',
      ownerId: uuid(3),
      ownerStatus: 'inactive',
      handedOver: true,
      isReturning: false,
      leftAt: null,
      hireDate: null,
      terminationDates: null,
      machineAttribute: null,
      caseId: null,
    };
    const person = { identity_id: encodeId('identity', uuid(3)), identity_status: 'inactive' };
    const source = { connector_id: encodeId('connector', uuid(2)) };
    const evidenceOf = (kind: OtherFacts['kind']) =>
      findingsOfOther({ ...facts, kind }, defaultFindingPolicy, now)[0]?.evidence;
    expect(evidenceOf('account')).toEqual({ ...source, ...person, account_status: 'active' });
    const [asked] = findingsOfOther({ ...facts, kind: 'account', caseId: uuid(9) }, defaultFindingPolicy, now);
    expect(asked?.evidence).toMatchObject({ case_id: encodeId('case', uuid(9)) });
    expect(evidenceOf('machine_identity')).toEqual({
      ...source,
      ...person,
      machine_status: 'active',
      handed_over: true,
    });
  });
});

describe('the time at which a person left', () => {
  const recorded = '2026-01-09T08:00:00.000Z';
  const day = (date: string) => `${date}T00:00:00.000Z`;

  it.each([
    ['is the termination date, also if idsync read it later', null, [day('2025-12-31')], day('2025-12-31')],
    ['is the time of recording without a termination date', null, null, recorded],
    ['is the time of recording if the person left before the termination date', null, [day('2026-03-31')], recorded],
    ['is no date that stands for none', null, [day('0001-01-01')], recorded],
    ['is the end of an employment that began before', day('2025-01-01'), [day('2025-12-31')], day('2025-12-31')],
    ['is the end of an employment of one day', day('2025-12-31'), [day('2025-12-31')], day('2025-12-31')],
    ['is not the end of an earlier employment', day('2025-01-01'), [day('2024-12-31')], recorded],
  ])('%s', (_, hireDate, terminationDates, leftAt) => {
    const account = {
      id: uuid(1),
      kind: 'account',
      connectorId: uuid(2),
      identityId: uuid(3),
      status: 'active',
      createdAt: new Date('2026-01-09T00:00:00Z'),
      identityStatus: 'inactive',
      ownerId: null,
      ownerStatus: null,
      handedOver: false,
      isReturning: false,
      leftAt: new Date(recorded),
      hireDate,
      terminationDates,
      machineAttribute: null,
      caseId: null,
    } satisfies OtherFacts;
    expect(findingsOfOther(account, defaultFindingPolicy, now)[0]?.evidence.left_at).toBe(leftAt);
  });
});

describe('a source', () => {
  const source: SourceFacts = { id: uuid(1), type: 'csv', createdAt: new Date('2026-01-01'), completeAsOf: null };
  const complete = (at: string) => ({ ...source, completeAsOf: new Date(at) });

  it('is stale 36 hours after the last complete read, or after its creation if it was never read', () => {
    expect(findingOfSource(complete('2026-01-08T12:00:00.001Z'), defaultFindingPolicy, now)).toBeUndefined();
    expect(findingOfSource(complete('2026-01-08T12:00:00Z'), defaultFindingPolicy, now)?.evidence).toEqual({
      complete_as_of: '2026-01-08T12:00:00.000Z',
      allowed_hours: 36,
    });
    expect(findingOfSource(source, defaultFindingPolicy, now)?.evidence).toEqual({ allowed_hours: 36 });
  });

  it('is stale after its own hours, if the policy has some for it', () => {
    const of = (connector_id: string) => ({
      ...defaultFindingPolicy,
      connector_stale_hours: [{ connector_id, hours: 400 }],
    });
    expect(findingOfSource(source, of(source.id), now)).toBeUndefined();
    expect(findingOfSource(source, of(uuid(9)), now)?.evidence).toEqual({ allowed_hours: 36 });
  });

  it('to which a provider pushes is never stale', () => {
    expect(findingOfSource({ ...source, type: 'scim-push' }, defaultFindingPolicy, now)).toBeUndefined();
  });
});
