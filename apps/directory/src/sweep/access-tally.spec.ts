import { encodeId } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { Settled } from '../changes/record-change.js';
import { AccessTally } from './access.js';

const identity = (id: string, status: string, users = [{}]) => ({
  id,
  status,
  document: JSON.stringify({ users, accounts: [] }),
});

function settled(changes: object[], merged: object[] = []): Settled {
  return { identities: changes, merged, records: [], ended: [], erased: [] } as unknown as Settled;
}

const step = (id: string, from: string, to: string) => ({ identity: identity(id, to), before: identity(id, from) });

describe('the people whose access a change in parts changes', () => {
  it('are those whose status after the last part is another one than before the first one', () => {
    const tally = new AccessTally();
    tally.add(
      settled([step('ann', 'active', 'pending'), step('bob', 'active', 'inactive'), step('cy', 'inactive', 'active')]),
    );
    tally.add(
      settled([step('ann', 'pending', 'active'), step('cy', 'active', 'inactive'), step('dee', 'active', 'active')]),
    );
    expect(tally.shown(10)).toMatchObject({
      access_changes_total: 1,
      access_changes: [{ from: 'active', to: 'inactive' }],
    });
  });

  it('include those who become a person without access', () => {
    const tally = new AccessTally();
    const merged = [{ identity: identity('ann', 'active'), intoId: 'anne' }];
    tally.add(settled([step('anne', 'inactive', 'inactive')], merged));
    expect([tally.losses, tally.gains]).toEqual([1, 0]);
  });

  it('do not include leavers who become deleted, and include people who are deleted at once', () => {
    const tally = new AccessTally();
    tally.add(
      settled([
        step('ann', 'inactive', 'deleted'),
        step('bob', 'active', 'deleted'),
        step('cy', 'suspended', 'deleted'),
        step('dee', 'pending', 'inactive'),
      ]),
    );
    expect([tally.losses, tally.gains]).toEqual([3, 0]);
  });

  it('include each active identity that is parted from a person without access, and that person is shown', () => {
    const moved = (from: string, identityId: string) => ({ record: { identityId }, before: { identityId: from } });
    const parted = (from: string, to: string) => ({
      ...settled([step('ann', from, from), { identity: identity('new', to) }]),
      records: [moved('ann', 'new')] as never,
    });
    const gainsOf = (from: string, to: string) => {
      const tally = new AccessTally();
      tally.add(parted(from, to));
      return [tally.losses, tally.gains, tally.shown(10)?.access_changes];
    };
    const shown = [{ identity_id: encodeId('identity', 'ann'), from: 'inactive', to: 'active' }];
    expect(gainsOf('inactive', 'active')).toEqual([0, 1, shown]);
    expect(gainsOf('deleted', 'active').slice(0, 2)).toEqual([0, 1]);
    for (const [from, to] of [
      ['active', 'active'],
      ['pending', 'active'],
      ['active', 'inactive'],
      ['inactive', 'inactive'],
    ] as const)
      expect(gainsOf(from, to)).toEqual([0, 0, undefined]);
    const tally = new AccessTally();
    tally.add(parted('inactive', 'active'));
    tally.add(settled([step('ann', 'inactive', 'inactive')], [{ identity: identity('new', 'active'), intoId: 'ann' }]));
    expect(tally.gains).toBe(0);
  });

  it('include those who get access, again or before their hire date', () => {
    const tally = new AccessTally();
    tally.add(
      settled([step('ann', 'inactive', 'active'), step('bob', 'active', 'inactive'), step('cy', 'pending', 'active')]),
    );
    expect([tally.losses, tally.gains]).toEqual([1, 2]);
  });

  it('are at most as many in the list as it may have, and no machines', () => {
    const tally = new AccessTally();
    const machine = { identity: identity('m', 'inactive', []), before: identity('m', 'active', []) };
    tally.add(settled([step('ann', 'active', 'deleted'), step('bob', 'active', 'inactive'), machine]));
    expect(tally.shown(1)).toMatchObject({ access_changes: [{ to: 'deleted' }], access_changes_total: 2 });
    expect(new AccessTally().shown(1)).toBeUndefined();
    expect(tally.beyond({ access_changes: [], access_changes_total: 0 })).toBe(2);
  });
});
