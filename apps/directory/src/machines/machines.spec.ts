import { personStatuses } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effectiveOwner, machineStatus } from './settle-machine.js';

describe('the status of a machine', () => {
  it('is orphaned without an active owner, unless it is disabled or decommissioned', () => {
    expect(machineStatus(undefined, 'active')).toBe('active');
    expect(machineStatus('active', 'inactive')).toBe('orphaned');
    expect(machineStatus('active', undefined)).toBe('orphaned');
    expect(machineStatus('disabled', 'active')).toBe('disabled');
    expect(machineStatus('decommissioned', 'active')).toBe('decommissioned');
  });
});

describe('the effective owner of a machine', () => {
  const inheritor = { id: 'inheritor', status: 'active' } as const;
  const personState = fc.option(
    fc.record({ id: fc.constantFrom('a', 'b'), status: fc.constantFrom(...personStatuses) }, { requiredKeys: ['id'] }),
    { nil: undefined },
  );

  it('is its owner while the owner is active or pending', () => {
    for (const status of ['active', 'pending'] as const) {
      expect(effectiveOwner({ id: 'owner', status }, inheritor)).toEqual({
        ownerId: 'owner',
        handedOver: false,
        status,
      });
    }
  });

  it.each(['suspended', 'inactive', 'deleted', undefined] as const)(
    'is the active inheritor while the owner is %s',
    (status) => {
      const owner = { id: 'owner', ...(status && { status }) };
      expect(effectiveOwner(owner, inheritor)).toEqual({ ownerId: 'inheritor', handedOver: true, status: 'active' });
      const without = effectiveOwner(owner, { id: 'inheritor', status: 'suspended' });
      expect(without).toEqual(status ? { ownerId: 'owner', handedOver: false, status } : { handedOver: false });
    },
  );

  it('is absent if no owner was ever known, even with an inheritor', () => {
    expect(effectiveOwner(undefined, inheritor)).toEqual({ handedOver: false });
  });

  it('is active whenever the owner is known and one of the two is active', () => {
    fc.assert(
      fc.property(personState, personState, (owner, inheritor) => {
        const { ownerId, handedOver, status } = effectiveOwner(owner, inheritor);
        if (handedOver) expect([ownerId, status]).toEqual([inheritor?.id, 'active']);
        if (owner && inheritor?.status === 'active' && owner.status !== 'pending') expect(status).toBe('active');
        if (owner?.status === 'active') expect(ownerId).toBe(owner.id);
      }),
    );
  });
});
