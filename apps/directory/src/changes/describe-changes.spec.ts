import { defaultLifecyclePolicy, defaultMatchingRules, encodeId, type MachineReference } from '@idsync/contracts';
import type { StoredIdentity, StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import type { TimedCause } from './cause.js';
import { describeChanges } from './describe-changes.js';
import type { Settled } from './record-change.js';

const now = new Date('2026-06-01T00:00:00Z');
const [ann, bob] = [uuid(100), uuid(101)];
const [annId, bobId] = [encodeId('identity', ann), encodeId('identity', bob)];
const source = encodeId('connector', uuid(1));
const cause: TimedCause = {
  tenantId: uuid(800),
  now,
  at: now,
  connectors: new Map(),
  rules: defaultMatchingRules,
  rankOf: () => 1,
  policy: defaultLifecyclePolicy,
};

interface Shown {
  display_name?: string;
  attributes?: { field_name: string; field_value: string; source_id: string }[];
  users?: object[];
}

function identity(status: StoredIdentity['status'], shown: Shown = {}, id = ann): StoredIdentity {
  const document = JSON.stringify({ attributes: [], users: [{}], ...shown });
  return { id, status, createdAt: beginning, updatedAt: beginning, document };
}
const attribute = (field_name: string, field_value: string) => ({ field_name, field_value, source_id: source });

const events = (settled: Partial<Settled>, by: Partial<TimedCause> = {}) =>
  describeChanges({ records: [], identities: [], merged: [], ended: [], erased: [], ...settled }, { ...cause, ...by });
const types = (...given: Parameters<typeof events>) => events(...given).map(({ type }) => type);

/** The events of one record: its state, and its state before if it is not new. */
const recordEvents = (record: Partial<StoredRecord>, before?: Partial<StoredRecord>) =>
  events({ records: [{ record: storedRecord(5, record), ...(before && { before: storedRecord(5, before) }) }] });
const recordTypes = (...given: Parameters<typeof recordEvents>) => recordEvents(...given).map(({ type }) => type);

describe('the events of a batch', () => {
  it('are created identities, then records, then other identities, then lifecycle events', () => {
    const records = [{ record: storedRecord(5, { identityId: ann }) }];
    const changed = { identity: identity('inactive', {}, bob), before: identity('active', {}, bob) };
    expect(types({ records, identities: [changed, { identity: identity('active') }] })).toEqual([
      'identity.created',
      'user.created',
      'identity.status_changed',
      'lifecycle.leaver',
      'lifecycle.joiner',
    ]);
  });

  it('name the job or the operation that caused them', () => {
    const settled = { identities: [{ identity: identity('active') }], records: [{ record: storedRecord(5) }] };
    for (const event of events(settled, { jobId: uuid(901) })) {
      expect(event).toMatchObject({
        occurredAt: now,
        jobId: uuid(901),
        details: { job_id: encodeId('job', uuid(901)) },
      });
    }
    for (const event of events(settled, { operationId: uuid(902) })) {
      expect(event.details.operation_id).toBe(encodeId('operation', uuid(902)));
      expect(event.jobId).toBeUndefined();
    }
  });

  it('leave out records that are removed', () => {
    const before = storedRecord(5, { identityId: ann });
    const record = storedRecord(5, { fields: { email: ['a@x.org'] }, status: 'inactive' });
    expect(types({ records: [{ record, before }] })).toEqual(['user.updated', 'user.status_changed']);
    expect(types({ records: [{ record, before, removed: true }] })).toEqual([]);
  });
});

describe('the events of an identity', () => {
  it('are its changed winners with their sources, ordered by field', () => {
    const before = identity('active', {
      display_name: 'Ann',
      attributes: [attribute('phone', '1'), attribute('email', 'a@x.org'), attribute('email', 'second@x.org')],
    });
    const after = identity('active', {
      display_name: 'Anna',
      attributes: [attribute('title', 'CEO'), attribute('email', 'a@x.org'), attribute('email', 'other@x.org')],
    });
    expect(events({ identities: [{ identity: after, before }] })).toEqual([
      {
        type: 'identity.updated',
        occurredAt: now,
        identityId: ann,
        subjectId: ann,
        details: {
          changes: [
            { field: 'display_name', from: 'Ann', to: 'Anna' },
            { field: 'phone', from: '1', source },
            { field: 'title', to: 'CEO', source },
          ],
        },
      },
    ]);
  });

  it('include the name that is shown, if a source that precedes gives it without a display name', () => {
    const attributes = [attribute('display_name', 'Anna Dorn'), attribute('first_name', 'Anna')];
    const [before, after] = ['Anna Dorn', 'Anna Schmidt'].map((display_name) =>
      identity('active', { display_name, attributes }),
    );
    expect(events({ identities: [{ identity: after as StoredIdentity, before }] })).toMatchObject([
      {
        type: 'identity.updated',
        details: { changes: [{ field: 'display_name', from: 'Anna Dorn', to: 'Anna Schmidt' }] },
      },
    ]);
  });

  it.each([
    ['lifecycle.joiner', 'the job has created', uuid(99)],
    ['lifecycle.rejoiner', 'an earlier job has created', uuid(901)],
  ])('include %s if an inactive identity that %s becomes active', (type, _which, jobId) => {
    const identities = [{ identity: identity('active'), before: identity('inactive') }];
    expect(types({ identities }, { jobId })).toEqual(['identity.status_changed', type]);
  });

  it('are its status, with the lifecycle event if it has users', () => {
    const change = (users: object[]) => [
      { identity: identity('inactive', { users }), before: identity('active', { users }) },
    ];
    expect(events({ identities: change([{}]) })).toMatchObject([
      { type: 'identity.status_changed', details: { changes: [{ field: 'status', from: 'active', to: 'inactive' }] } },
      { type: 'lifecycle.leaver', details: { changes: [{ field: 'status', from: 'active', to: 'inactive' }] } },
    ]);
    expect(types({ identities: change([]) })).toEqual(['identity.status_changed']);
  });

  it.each([
    ['active', 'inactive', {}, 'termination_date'],
    ['active', 'inactive', { status: ['active'] }, 'termination_date'],
    ['active', 'inactive', { status: ['inactive'] }, undefined],
    ['active', 'pending', { hire_date: ['2027-01-01'] }, 'hire_date'],
    ['pending', 'active', { hire_date: ['2026-06-01'] }, 'hire_date'],
    ['pending', 'active', {}, undefined],
    ['inactive', 'active', { hire_date: ['2020-06-01'] }, undefined],
    ['active', 'deleted', {}, undefined],
  ] as const)('from %s to %s of a user with %j name the date that caused them', (from, to, fields, reason) => {
    const given = { identityId: ann, fields: fields as StoredRecord['fields'] };
    const records = [
      { record: storedRecord(6, { status: to }) },
      { record: storedRecord(5, { ...given, status: to }), before: storedRecord(5, { ...given, status: from }) },
    ];
    const steps = events({ records, identities: [{ identity: identity(to), before: identity(from) }] });
    expect(steps.find(({ type }) => type.startsWith('lifecycle.'))?.details.reason).toBe(reason);
  });

  it('are a deletion if its status becomes deleted', () => {
    const deleted = { identity: identity('deleted'), before: identity('inactive') };
    expect(types({ identities: [deleted] })).toEqual(['identity.deleted']);
  });

  it('are a split in the history of the identity it was split from, and no joiner', () => {
    const split = events({ identities: [{ identity: identity('active'), splitFrom: bob }] });
    expect(split.map(({ type }) => type)).toEqual(['identity.created', 'identity.split']);
    expect(split[1]).toMatchObject({
      identityId: bob,
      subjectId: ann,
      details: { from_id: bobId, new_id: annId },
    });
  });

  it('are a merge in the history of the remaining identity', () => {
    expect(events({ merged: [{ identity: identity('active'), intoId: bob }] })).toMatchObject([
      { type: 'identity.merged', identityId: bob, subjectId: ann, details: { merged_id: annId, into_id: bobId } },
    ]);
  });

  it('are a deletion if it has no records left, unless it was already deleted', () => {
    expect(types({ ended: [identity('active')] })).toEqual(['identity.deleted']);
    expect(types({ ended: [identity('deleted')] })).toEqual([]);
  });

  it('are a marked deletion without values on an erasure', () => {
    const erased = [{ identity: identity('deleted'), before: identity('active', { display_name: 'Ann' }) }];
    expect(events({ erased })).toMatchObject([{ type: 'identity.deleted', details: { erased: true } }]);
    expect(JSON.stringify(events({ erased }))).not.toContain('Ann');
  });
});

describe('the events of a record', () => {
  it('contain its public id and its values, without its status', () => {
    const fields = { email: ['a@x.org'], roles: ['a', 'b'], status: ['active'] };
    expect(recordEvents({ fields, identityId: ann })).toEqual([
      {
        type: 'user.created',
        occurredAt: now,
        identityId: ann,
        subjectId: uuid(5),
        details: {
          id: encodeId('user', uuid(5)),
          changes: [
            { field: 'email', to: 'a@x.org', source },
            { field: 'roles', to: ['a', 'b'], source },
          ],
        },
      },
    ]);
  });

  it.each([
    ['user', 'inactive', 'user.status_changed'],
    ['user', 'deleted', 'user.deleted'],
    ['account', 'locked', 'account.updated'],
    ['account', 'disabled', 'account.disabled'],
    ['account', 'deleted', 'account.deleted'],
    ['machine_identity', 'disabled', 'machine_identity.updated'],
    ['machine_identity', 'orphaned', 'machine_identity.orphaned'],
    ['machine_identity', 'decommissioned', 'machine_identity.decommissioned'],
  ] as const)('of a %s that becomes %s are %s', (kind, status, expected) => {
    expect(recordEvents({ kind, status }, { kind })).toMatchObject([
      { type: expected, details: { changes: [{ field: 'status', from: 'active', to: status, source }] } },
    ]);
  });

  it('are absent if only its times change', () => {
    expect(recordTypes({ updatedAt: now }, {})).toEqual([]);
  });

  it.each([
    ['departments', ['user.updated', 'lifecycle.mover']],
    ['job_title', ['user.updated', 'lifecycle.mover']],
    ['attributes.department', ['user.updated', 'lifecycle.mover']],
    ['attributes.manager', ['user.updated', 'lifecycle.mover']],
    ['email', ['user.updated']],
  ])('of a user with a changed %s are %j', (field, expected) => {
    expect(recordTypes({ fields: { [field]: ['b'] } }, { fields: { [field]: ['a'] } })).toEqual(expected);
  });

  it('of a user with another manager contain a mover, but not if the first one is named or found', () => {
    const named = (text: string, managerId?: string) => ({
      fields: { manager_id: [text] },
      ...(managerId && { managerId }),
    });
    expect(recordTypes(named('bob'), named('ann'))).toEqual(['user.updated', 'lifecycle.mover']);
    expect(recordTypes(named('bob', bob), named('ann', ann))).toEqual(['user.updated', 'lifecycle.mover']);
    expect(recordTypes({ fields: {} }, named('ann'))).toEqual(['user.updated', 'lifecycle.mover']);
    expect(recordTypes(named('bob'), { fields: {} })).toEqual(['user.updated']);
    expect(recordTypes(named('bob', bob), named('bob'))).toEqual(['user.updated']);
  });

  it('of a new user and of an account contain no mover', () => {
    const fields = { job_title: ['CEO'] };
    expect(recordTypes({ fields })).toEqual(['user.created']);
    expect(recordTypes({ kind: 'account', fields }, { kind: 'account' })).toEqual(['account.updated']);
  });

  it('of an account are its links, in the history of the person concerned', () => {
    const account = { kind: 'account' } as const;
    expect(recordEvents({ ...account, identityId: ann }, account)).toMatchObject([
      { type: 'account.linked', identityId: ann, details: { changes: [{ field: 'person_id', to: annId, source }] } },
    ]);
    expect(recordEvents(account, { ...account, identityId: ann })).toMatchObject([
      {
        type: 'account.unlinked',
        identityId: ann,
        details: { changes: [{ field: 'person_id', from: annId, source }] },
      },
    ]);
    expect(recordTypes({ ...account, identityId: ann })).toEqual(['account.created', 'account.linked']);
  });

  it('of an account that another connector takes over contain both, unless its system has a name', () => {
    const takenOver = (record: Partial<StoredRecord>) =>
      recordEvents({ ...record, connectorId: uuid(2) }, { ...record, connectorId: uuid(1) });
    const change = { field: 'source_system_id', from: source, to: encodeId('connector', uuid(2)) };
    expect(takenOver({ kind: 'account' })).toMatchObject([{ type: 'account.updated', details: { changes: [change] } }]);
    expect(takenOver({ kind: 'account', fields: { source_system_id: ['AD'] } })).toEqual([]);
    expect(takenOver({ kind: 'user' })).toEqual([]);
  });

  it('of a user who moves to another identity contain nothing, because the identities do', () => {
    expect(recordTypes({ identityId: ann }, { identityId: bob })).toEqual([]);
  });
});

describe('the events of a machine', () => {
  const machine = (people: Partial<Record<MachineReference, string>>, score = 0, handedOver = false) => {
    const state: Partial<StoredRecord> = { machine: { people, handedOver, risk: { score, factors: [] } } };
    return { ...state, kind: 'machine_identity' as const };
  };
  const fields = { owned_by: ['ann'] };

  it('contain the people that it shows, and not the text of the source behind them', () => {
    expect(recordEvents({ ...machine({ owned_by: ann }), identityId: ann, fields })).toMatchObject([
      { type: 'machine_identity.created', details: { changes: [{ field: 'owned_by', to: annId, source }] } },
    ]);
  });

  it('are one change of the owner, marked if the inheritor took over', () => {
    const before = { ...machine({ owned_by: bob }), identityId: bob, fields };
    const [event, ...others] = recordEvents(
      { ...machine({ owned_by: ann }, 0, true), identityId: ann, fields },
      before,
    );
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'machine_identity.owner_changed',
      details: {
        handed_over: true,
        changes: [
          { field: 'identity_id', from: bobId, to: annId, source },
          { field: 'owned_by', from: bobId, to: annId, source },
        ],
      },
    });
    const [back] = recordEvents({ ...machine({ owned_by: ann }), identityId: ann, fields }, before);
    expect(back?.details).not.toHaveProperty('handed_over');
  });

  it('are an update if another person than the owner is resolved', () => {
    const named = { fields: { manager_id: ['bob'] } };
    expect(recordEvents({ ...machine({ manager_id: bob }), ...named }, { ...machine({}), ...named })).toMatchObject([
      {
        type: 'machine_identity.updated',
        details: { changes: [{ field: 'manager_id', from: 'bob', to: bobId, source }] },
      },
    ]);
  });

  it('are a changed risk with its factors, if the score differs', () => {
    const factors = [{ factor: 'shared', points: 10 } as const];
    const risky = { ...machine({}), machine: { people: {}, handedOver: false, risk: { score: 10, factors } } };
    expect(recordEvents(risky, machine({}, 30))).toMatchObject([
      {
        type: 'machine_identity.risk_changed',
        details: { risk_factors: factors, changes: [{ field: 'risk_score', from: '30', to: '10' }] },
      },
    ]);
    expect(recordTypes(risky, machine({}, 10))).toEqual([]);
  });
});
