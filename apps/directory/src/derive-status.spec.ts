import { describe, expect, it } from '@jest/globals';
import { deriveIdentityStatus } from './derive-status.js';

describe('the status of an identity', () => {
  it.each([
    [['inactive', 'active'], 'active'],
    [['pending', 'suspended'], 'pending'],
    [['deleted', 'suspended', 'inactive'], 'suspended'],
    [['deleted'], 'deleted'],
  ])('of users %j is the best of them: %s', (statuses, expected) => {
    const users = statuses.map((status) => ({ kind: 'user' as const, status }));
    expect(deriveIdentityStatus([...users, { kind: 'account', status: 'active' }])).toBe(expected);
  });

  it('comes from its accounts when it has no users', () => {
    expect(deriveIdentityStatus([{ kind: 'account', status: 'locked' }])).toBe('suspended');
    expect(deriveIdentityStatus([{ kind: 'account', status: 'disabled' }])).toBe('inactive');
  });

  it('comes from the machine where that stands alone, and is deleted where nothing is left', () => {
    expect(deriveIdentityStatus([{ kind: 'machine_identity', status: 'orphaned' }])).toBe('active');
    expect(deriveIdentityStatus([])).toBe('deleted');
  });
});
