import { defaultLifecyclePolicy, defaultMatchingRules, encodeId, recordWeight, volumeLimits } from '@idsync/contracts';
import type { ConnectorInfo, StoredIdentity, StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import type { TimedCause } from './cause.js';
import type { RecordChange } from './record-change.js';
import { settleIdentities } from './settle-identities.js';

const now = new Date('2026-06-01T00:00:00Z');
const [ann, bob] = [uuid(100), uuid(101)];
const hr: ConnectorInfo = { id: uuid(1), type: 'csv', priority: 1, records: 'user', employments: false };
const cause: TimedCause = {
  tenantId: uuid(800),
  jobId: uuid(901),
  now,
  at: now,
  connectors: new Map([[hr.id, hr]]),
  rules: defaultMatchingRules,
  rankOf: () => 1,
  policy: defaultLifecyclePolicy,
};
const identity = (id: string, parts: Partial<StoredIdentity> = {}): StoredIdentity => ({
  id,
  status: 'active',
  createdAt: beginning,
  updatedAt: beginning,
  document: '{}',
  ...parts,
});
const userOf = (identityId: string, parts: Partial<StoredRecord> = {}) =>
  storedRecord(1, { identityId, fields: { display_name: ['Ann'] }, ...parts });

interface Placement {
  stored?: StoredIdentity[];
  affected?: string[];
  successors?: [string, string][];
  origins?: [string, string][];
  cause?: Partial<TimedCause>;
}

function settle(changes: RecordChange[], { stored = [], affected = [ann], ...more }: Placement = {}) {
  return settleIdentities(
    { ...cause, ...more.cause },
    {
      changes: new Map(changes.map((change) => [change.record.id, change])),
      stored: new Map(stored.map((each) => [each.id, each])),
      loadedForMachines: new Set(),
      affected: new Set(affected),
      successors: new Map(more.successors),
      origins: new Map(more.origins),
      revived: new Map(),
      disputes: [],
    },
  );
}

/** The identity as a first job leaves it. */
function settledAnn(record = userOf(ann)): { record: StoredRecord; before: StoredIdentity } {
  const settled = settle([{ record }], { cause: { now: beginning, at: beginning } });
  return { record, before: settled.identities[0]?.identity ?? identity(ann) };
}

describe('an affected identity', () => {
  it('is created from its records, with their name, status and documents', () => {
    const settled = settle([{ record: userOf(ann) }]);
    expect(settled.identities).toHaveLength(1);
    expect(settled.identities[0]).toMatchObject({
      before: undefined,
      identity: { id: ann, displayName: 'Ann', status: 'active', createdAt: now, updatedAt: now },
    });
    expect(JSON.parse(settled.identities[0]?.identity.document ?? '')).toMatchObject({
      id: encodeId('identity', ann),
      users: [{ id: encodeId('user', uuid(1)), display_name: 'Ann' }],
    });
  });

  it('keeps its time of change if its document is the same, and is not returned', () => {
    const { record, before } = settledAnn();
    expect(settle([{ record, before: record }], { stored: [before] }).identities).toEqual([]);
  });

  it('is changed now and created when it was if a value changes', () => {
    const { record, before } = settledAnn();
    const renamed = { ...record, fields: { display_name: ['Anna'] } };
    const [change] = settle([{ record: renamed, before: record }], { stored: [before] }).identities;
    expect(change?.before).toBe(before);
    expect(change?.identity).toMatchObject({ displayName: 'Anna', createdAt: beginning, updatedAt: now });
    expect(JSON.parse(change?.identity.document ?? '').updated_at).toBe(now.toISOString());
  });

  it('has its original time of creation if a revert restores it', () => {
    const revived = new Map([[ann, { id: ann, createdAt: beginning, document: null }]]);
    expect(settle([{ record: userOf(ann) }], { cause: { revived } }).identities[0]?.identity.createdAt).toEqual(
      beginning,
    );
  });

  it('names the identity that it was split from', () => {
    const [change] = settle([{ record: userOf(ann) }], { origins: [[ann, bob]] }).identities;
    expect(change?.splitFrom).toBe(bob);
  });

  it('is not computed if none of its records moved', () => {
    expect(settle([{ record: userOf(bob) }], { affected: [] }).identities).toEqual([]);
  });
});

describe('an identity without records', () => {
  const stored = [identity(ann, { displayName: 'Ann' })];

  it('is merged into its successor, else ended', () => {
    const merged = settle([], { stored, successors: [[ann, bob]] });
    expect([merged.merged, merged.ended]).toEqual([[{ identity: stored[0], intoId: bob }], []]);
    expect(settle([], { stored })).toMatchObject({ merged: [], ended: stored, erased: [], identities: [] });
  });

  it('is replaced by a tombstone without personal data on an erasure', () => {
    const { ended, erased } = settle([], { stored, cause: { erase: true } });
    expect(ended).toEqual([]);
    expect(erased).toMatchObject([{ before: stored[0], identity: { id: ann, status: 'deleted', updatedAt: now } }]);
    expect(erased[0]?.identity.displayName).toBeUndefined();
    expect(erased[0]?.identity.document).not.toContain('Ann');
  });
});

describe('a settled record', () => {
  it('is rendered and returned only if it changed', () => {
    const [kept, changed] = [userOf(ann), userOf(ann, { id: uuid(2) })];
    const { records } = settle([{ record: kept, before: kept }, { record: changed }]);
    expect(records.map(({ record }) => record.id)).toEqual([uuid(2)]);
    expect(kept.document).toBe('{}');
    expect(JSON.parse(changed.document)).toMatchObject({ id: encodeId('user', uuid(2)) });
  });

  it('is rendered also if it is not linked, but not if it is removed', () => {
    const [loose, removed] = [2, 3].map((nth) => storedRecord(nth, { kind: 'account' }));
    settle([{ record: loose as StoredRecord }, { record: removed as StoredRecord, removed: true }]);
    expect(loose?.document).toContain(encodeId('account', uuid(2)));
    expect(removed?.document).toBe('{}');
  });

  const before = userOf(ann, { status: 'active', changedAt: { email: 'x' } });
  const changed = () => ({ ...before, status: 'inactive', contentHash: Buffer.alloc(16, 1), lastJobId: uuid(901) });

  it('keeps its state before the job for an undo', () => {
    const record = changed();
    settle([{ record, before }]);
    const { fields, changedAt, contentHash } = before;
    expect(record).toMatchObject({
      previous: { fields, status: 'active', changedAt, contentHash: contentHash.toString('base64') },
    });
  });

  it('belongs to the job before again if a second change returns to the state before the job', () => {
    const earlier = { fields: {}, status: 'active', changedAt: {}, contentHash: 'b', lastJobId: uuid(899), lastSeq: 1 };
    const start = { ...before, lastJobId: uuid(900), lastSeq: 7, previous: earlier };
    const first = { ...start, status: 'inactive', contentHash: Buffer.alloc(16, 1), lastJobId: uuid(901), lastSeq: 2 };
    settle([{ record: first, before: start }]);
    expect(first.previous).toMatchObject({ lastJobId: uuid(900), lastSeq: 7, previous: earlier });

    const back = { ...first, status: start.status, contentHash: start.contentHash, lastSeq: 3 };
    settle([{ record: back, before: first }]);
    expect(back).toMatchObject({ lastJobId: uuid(900), lastSeq: 7, previous: earlier });

    for (const other of [{ status: 'deleted' }, { contentHash: Buffer.alloc(16, 2) }]) {
      const elsewhere = { ...back, ...other, lastJobId: uuid(901), lastSeq: 3, previous: first.previous };
      settle([{ record: elsewhere, before: first }]);
      expect(elsewhere).toMatchObject({ lastJobId: uuid(901), lastSeq: 3, previous: first.previous });
    }
  });

  it('keeps the first state of a job that changes it twice, and none without new values', () => {
    const twice = changed();
    settle([{ record: twice, before: { ...before, lastJobId: uuid(901) } }]);
    const moved = { ...changed(), contentHash: before.contentHash };
    settle([{ record: moved, before }]);
    const added = changed();
    settle([{ record: added }]);
    for (const record of [twice, moved, added]) expect(record).not.toHaveProperty('previous');
  });
});

describe('the size of an identity', () => {
  const { identityWeight } = volumeLimits;
  const heavy = (nth: number, weight: number, identityId = ann) =>
    storedRecord(nth, { kind: 'account', identityId, fields: { roles: ['x'.repeat(weight)] } });
  const half = identityWeight / 2;

  it('is limited for new records', () => {
    const spare = identityWeight - recordWeight(heavy(1, half).fields) - recordWeight(heavy(2, 0).fields);
    expect(() => settle([{ record: heavy(1, half) }, { record: heavy(2, spare) }])).not.toThrow();
    expect(() => settle([{ record: heavy(1, half) }, { record: heavy(2, spare + 1) }])).toThrow('bytes');
    expect(() => settle([{ record: heavy(1, half) }, { record: heavy(2, half) }])).toThrow(
      /^the 2 records of its identity would take .* bytes, at most .* are allowed$/,
    );
  });

  it('may remain above the limit, but not grow', () => {
    const [first, second] = [heavy(1, half), heavy(2, half)];
    const stored = [identity(ann)];
    const unchanged = { record: second, before: second };
    expect(() => settle([{ record: heavy(1, half), before: first }, unchanged], { stored })).not.toThrow();
    expect(() => settle([{ record: heavy(1, half - 1), before: first }, unchanged], { stored })).not.toThrow();
    expect(() => settle([{ record: heavy(1, half + 1), before: first }, unchanged], { stored })).toThrow('bytes');
    const moved = { record: first, before: { ...first, identityId: bob } };
    expect(() => settle([moved, unchanged], { stored })).toThrow('bytes');
  });
});
