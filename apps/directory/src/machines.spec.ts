import { personStatuses } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { custodyOf, machineStatus } from './machines.js';

describe('the status of a machine', () => {
  it('is orphaned without an active owner, unless it is switched off', () => {
    expect(machineStatus(undefined, 'active')).toBe('active');
    expect(machineStatus('active', 'inactive')).toBe('orphaned');
    expect(machineStatus('active', undefined)).toBe('orphaned');
    expect(machineStatus('disabled', 'active')).toBe('disabled');
    expect(machineStatus('decommissioned', 'active')).toBe('decommissioned');
  });
});

describe('who answers for a machine', () => {
  const heir = { id: 'heir', status: 'active' } as const;
  const standing = fc.option(
    fc.record({ id: fc.constantFrom('a', 'b'), status: fc.constantFrom(...personStatuses) }, { requiredKeys: ['id'] }),
    { nil: undefined },
  );

  it('is its owner, as long as they are there or yet to come', () => {
    for (const status of ['active', 'pending'] as const) {
      expect(custodyOf({ id: 'owner', status }, heir)).toEqual({ keeperId: 'owner', handedOver: false, status });
    }
  });

  it.each(['suspended', 'inactive', 'deleted', undefined] as const)(
    'is the inheritor while the owner is %s, if the inheritor is active',
    (status) => {
      const owner = { id: 'owner', ...(status && { status }) };
      expect(custodyOf(owner, heir)).toEqual({ keeperId: 'heir', handedOver: true, status: 'active' });
      const without = custodyOf(owner, { id: 'heir', status: 'suspended' });
      expect(without).toEqual(status ? { keeperId: 'owner', handedOver: false, status } : { handedOver: false });
    },
  );

  it('is nobody where no owner was ever known, whoever would inherit it', () => {
    expect(custodyOf(undefined, heir)).toEqual({ handedOver: false });
  });

  it('is somebody active whenever one of the two is, once the owner is known', () => {
    fc.assert(
      fc.property(standing, standing, (owner, inheritor) => {
        const { keeperId, handedOver, status } = custodyOf(owner, inheritor);
        if (handedOver) expect([keeperId, status]).toEqual([inheritor?.id, 'active']);
        if (owner && inheritor?.status === 'active' && owner.status !== 'pending') expect(status).toBe('active');
        if (owner?.status === 'active') expect(keeperId).toBe(owner.id);
      }),
    );
  });
});
