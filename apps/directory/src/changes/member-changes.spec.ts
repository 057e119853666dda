import { encodeId } from '@idsync/contracts';
import type { StoredIdentity, StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import { memberChanges } from './member-changes.js';
import type { Settled } from './record-change.js';

const [ann, bob] = [uuid(100), uuid(101)];
const source = encodeId('connector', uuid(1));
const user = encodeId('user', storedRecord(5, {}).id);

const identity = (id: string): StoredIdentity => ({
  id,
  status: 'active',
  createdAt: beginning,
  updatedAt: beginning,
  document: '{}',
});

/** The changes of one record that moves from one identity to another. */
function changes(
  from: string | undefined,
  to: string | undefined,
  of: Partial<StoredRecord> = {},
  more: Partial<Settled> = {},
) {
  const record = storedRecord(5, { ...of, identityId: to });
  const before = storedRecord(5, { ...of, identityId: from });
  const settled = { records: [{ record, before }], identities: [], merged: [], ended: [], erased: [], ...more };
  return Object.fromEntries(memberChanges(settled));
}

describe('the records that identities gain and lose', () => {
  it('include a user for the identity that gains it and the one that loses it', () => {
    expect(changes(undefined, ann)).toEqual({ [ann]: [{ field: 'users', to: user, source }] });
    expect(changes(ann, bob)).toEqual({
      [ann]: [{ field: 'users', from: user, source }],
      [bob]: [{ field: 'users', to: user, source }],
    });
    expect(changes(ann, ann)).toEqual({});
  });

  it('leave out what a merge or a split reports', () => {
    expect(changes(ann, bob, {}, { merged: [{ identity: identity(ann), intoId: bob }] })).toEqual({});
    expect(changes(ann, bob, {}, { identities: [{ identity: identity(bob), splitFrom: ann }] })).toEqual({});
    expect(changes(bob, ann, {}, { identities: [{ identity: identity(bob), splitFrom: ann }] })).not.toEqual({});
  });

  it('include an account only for an identity that account.linked does not belong to', () => {
    const account = encodeId('account', storedRecord(5, {}).id);
    expect(changes(undefined, ann, { kind: 'account' })).toEqual({});
    expect(changes(ann, undefined, { kind: 'account' })).toEqual({});
    expect(changes(ann, bob, { kind: 'account' })).toEqual({ [ann]: [{ field: 'accounts', from: account, source }] });
  });

  it('include every kind of record that is purged', () => {
    for (const [kind, field] of [
      ['user', 'users'],
      ['account', 'accounts'],
      ['machine_identity', 'machine_identities'],
    ] as const) {
      const before = storedRecord(5, { kind, identityId: ann });
      const record = storedRecord(5, { kind, identityId: undefined });
      const records = [{ record, before, removed: true as const }];
      const found = memberChanges({ records, identities: [], merged: [], ended: [], erased: [] });
      expect(found.get(ann)).toEqual([{ field, from: expect.any(String), source }]);
    }
  });
});
