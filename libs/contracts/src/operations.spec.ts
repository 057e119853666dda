import { describe, expect, it } from '@jest/globals';
import { encodeId, newUuid } from './ids.js';
import { type OperationResult, type OperationType, operationInputs, publicResult } from './operations.js';

const [one, other] = [newUuid(), newUuid()];
const identity = (id: string) => encodeId('identity', id);

const results: { [T in OperationType]: { written: OperationResult<T>; shown: object } } = {
  'case.resolve': {
    written: { case_id: one, resolution: 'link', identity_id: other },
    shown: { case_id: encodeId('case', one), resolution: 'link', identity_id: identity(other) },
  },
  'identity.merge': {
    written: { identity_id: one, merged_identity_ids: [other] },
    shown: { identity_id: identity(one), merged_identity_ids: [identity(other)] },
  },
  'identity.split': {
    written: { identity_id: one, new_identity_id: other },
    shown: { identity_id: identity(one), new_identity_id: identity(other) },
  },
  'identity.erase': {
    written: { identity_id: one, records_erased: 2 },
    shown: { identity_id: identity(one), records_erased: 2 },
  },
  'operation.revert': {
    written: { reverted_operation_id: one },
    shown: { reverted_operation_id: encodeId('operation', one) },
  },
  'operation.confirm': {
    written: { confirmed_operation_id: one },
    shown: { confirmed_operation_id: encodeId('operation', one) },
  },
  'operation.cancel': {
    written: { cancelled_operation_id: one },
    shown: { cancelled_operation_id: encodeId('operation', one) },
  },
  'attributes.rank': { written: { identities_changed: 1 }, shown: { identities_changed: 1 } },
  'lifecycle.change': { written: { identities_changed: 1 }, shown: { identities_changed: 1 } },
  'connector.hand_over': {
    written: { conflicts: [identity(one)], records_moved: 3, records_joined: 2, records_in_conflict: 1 },
    shown: { conflicts: [identity(one)], records_moved: 3, records_joined: 2, records_in_conflict: 1 },
  },
  'job.undo': {
    // External ids of a source, which may look like public ids.
    written: { removed: [one], restored: [other], records_removed: 1, records_restored: 1 },
    shown: { removed: [one], restored: [other], records_removed: 1, records_restored: 1 },
  },
  'finding.accept': {
    written: { finding_id: one, state: 'accepted' },
    shown: { finding_id: encodeId('finding', one), state: 'accepted' },
  },
  'finding.reopen': {
    written: { finding_id: one, state: 'open' },
    shown: { finding_id: encodeId('finding', one), state: 'open' },
  },
  'plan.apply': {
    written: { records_created: 1, records_deleted: 2, records_updated: 3 },
    shown: { records_created: 1, records_deleted: 2, records_updated: 3 },
  },
  'rules.change': {
    written: {
      cases: [
        {
          rule: 'same name',
          record: { id: one, kind: 'account' },
          candidates: [{ other, score: 1, identity_id: other }],
        },
      ],
      moved: [{ kind: 'keys', rule: 'email', record: { id: one, kind: 'account' }, into_identity_id: other }],
      joined: [
        {
          kind: 'fuzzy',
          rule: 'same name',
          other,
          score: 0.9,
          fields: ['full_name'],
          record: { id: one, kind: 'user' },
          from_identity_id: one,
          into_identity_id: other,
        },
      ],
      parted: [{ new_identity_id: one, from_identity_id: other }],
      cases_opened: 1,
      records_moved: 2,
      accounts_moved: 1,
      identities_joined: 1,
      identities_parted: 1,
      records_not_compared: 0,
    },
    shown: {
      cases: [
        {
          rule: 'same name',
          record: encodeId('account', one),
          candidates: [{ other: encodeId('user', other), score: 1, identity_id: identity(other) }],
        },
      ],
      moved: [{ kind: 'keys', rule: 'email', record: encodeId('account', one), into_identity_id: identity(other) }],
      joined: [
        {
          kind: 'fuzzy',
          rule: 'same name',
          other: encodeId('user', other),
          score: 0.9,
          fields: ['full_name'],
          record: encodeId('user', one),
          from_identity_id: identity(one),
          into_identity_id: identity(other),
        },
      ],
      parted: [{ new_identity_id: identity(one), from_identity_id: identity(other) }],
      cases_opened: 1,
      records_moved: 2,
      accounts_moved: 1,
      identities_joined: 1,
      identities_parted: 1,
      records_not_compared: 0,
    },
  },
};

/** Orders the names of an object as `jsonb` does. */
const stored = (value: unknown) => {
  const order = (a: [string, unknown], b: [string, unknown]) => a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1);
  return JSON.parse(JSON.stringify(value), (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(order))
      : part,
  );
};

describe('the result of an operation', () => {
  it.each(Object.keys(operationInputs) as OperationType[])('of type %s is shown with public ids', (type) => {
    const { written, shown } = results[type];
    expect(publicResult(type, written)).toEqual(shown);
    // Operators read the fields in this order.
    expect(JSON.stringify(publicResult(type, stored(written)))).toBe(JSON.stringify(stored(shown)));
  });

  it('is returned unchanged if the operation was refused or another version wrote it', () => {
    expect(publicResult('identity.merge', { error: 'gone' })).toEqual({ error: 'gone' });
    expect(publicResult('identity.teleport', { distance: 1 })).toEqual({ distance: 1 });
    expect(publicResult('attributes.rank', { identities_changed: 1, grown: true })).toEqual({
      identities_changed: 1,
      grown: true,
    });
  });
});
