import { personStatuses } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assessRisk, maxAgeMs, nextReview, weights } from './machine-risk.js';
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

const now = new Date('2026-06-01T00:00:00Z');
const before = (ms: number) => new Date(now.getTime() - ms).toISOString();
const healthy = { status: 'active', hasActiveOwner: true };

function factors(fields: Record<string, string | string[]>, facts = healthy): string[] {
  const lists = Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? [value] : value]);
  return assessRisk({ ...facts, fields: Object.fromEntries(lists) }, now).factors.map(({ factor }) => factor);
}

describe('the risk of a machine', () => {
  it('has weights that add up to 100', () => {
    expect(Object.values(weights).reduce((sum, points) => sum + points)).toBe(100);
  });

  it('is 0 without risk factors', () => {
    expect(assessRisk({ ...healthy, fields: {} }, now)).toEqual({ score: 0, factors: [] });
  });

  it.each([
    ['no_active_owner', {}, { status: 'orphaned', hasActiveOwner: false }],
    ['long_lived_secret', { 'attributes.secret_created_at': '2025-01-01' }, healthy],
    ['long_lived_secret', { 'attributes.secret_rotated_at': before(maxAgeMs) }, healthy],
    ['over_privilege', { 'attributes.groups': ['Staff', 'CN=Domain Admins,OU=Groups,DC=x'] }, healthy],
    ['over_privilege', { 'attributes.roles': 'cluster-admin' }, healthy],
    ['over_privilege', { 'attributes.permissions': '*' }, healthy],
    ['over_privilege', { 'attributes.privileged': 'TRUE' }, healthy],
    ['unused', { 'attributes.last_used_at': '20250101000000Z' }, healthy],
    ['used_by_people', { 'attributes.interactive': 'yes' }, healthy],
    ['shared', { 'attributes.workloads': ['billing', 'mail'] }, healthy],
  ])('counts %s for %j', (factor, fields, facts) => {
    expect(factors(fields as Record<string, string>, facts)).toEqual([factor]);
  });

  it.each<Record<string, string | string[]>>([
    { 'attributes.secret_created_at': '2020-01-01', 'attributes.secret_rotated_at': '2026-05-01' },
    { 'attributes.last_used_at': 'last week' },
    { 'attributes.last_used_at': '0001-01-01T00:00:00Z' },
    { 'attributes.groups': ['CN=Readers,OU=Admins,DC=x', 'sysadministration-news', 'Rooting'] },
    { 'attributes.workloads': 'billing' },
    { 'attributes.shared': 'no' },
  ])('does not count %j', (fields) => {
    expect(factors(fields)).toEqual([]);
  });

  it('does not count unused for a disabled machine, and is 0 for a decommissioned machine', () => {
    const idle = { 'attributes.last_used_at': '2020-01-01' };
    expect(factors(idle, { status: 'disabled', hasActiveOwner: true })).toEqual([]);
    expect(factors({ ...idle, risk_score: '90' }, { status: 'decommissioned', hasActiveOwner: false })).toEqual([]);
  });

  it('is the higher of the score from the source and the calculated score', () => {
    const assess = (risk_score: string, hasActiveOwner: boolean) =>
      assessRisk({ status: 'active', hasActiveOwner, fields: { risk_score: [risk_score] } }, now);
    expect(assess('42', true)).toEqual({ score: 42, factors: [{ factor: 'stated_by_source', points: 42 }] });
    expect(assess('42', false).factors).toEqual([
      { factor: 'no_active_owner', points: 30 },
      { factor: 'stated_by_source', points: 12 },
    ]);
    expect(assess('7', false)).toEqual({ score: 30, factors: [{ factor: 'no_active_owner', points: 30 }] });
  });

  it('is the sum of its factors, from 0 to 100, and constant until the next review', () => {
    const time = fc.option(fc.date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }), {
      nil: undefined,
    });
    const flag = fc.constantFrom('true', 'false', '');
    const facts = fc.record({
      status: fc.constantFrom('active', 'disabled', 'orphaned', 'decommissioned'),
      hasActiveOwner: fc.boolean(),
      fields: fc
        .record({
          'attributes.secret_created_at': time,
          'attributes.last_used_at': time,
          'attributes.shared': flag,
          'attributes.privileged': flag,
          risk_score: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
        })
        .map((values) =>
          Object.fromEntries(
            Object.entries(values).map(([name, value]) => [
              name,
              value === undefined ? [] : [value instanceof Date ? value.toISOString() : String(value)],
            ]),
          ),
        ),
    });
    fc.assert(
      fc.property(facts, fc.nat({ max: 2_000 }), (machine, days) => {
        const { score, factors } = assessRisk(machine, now);
        expect(score).toBe(factors.reduce((sum, { points }) => sum + points, 0));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        const later = new Date(now.getTime() + days * 86_400_000);
        const due = nextReview(machine.fields, now);
        if (!due || later < due) expect(assessRisk(machine, later)).toEqual({ score, factors });
      }),
    );
  });
});
