import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { isSettled } from './neighbourhood.js';

const ofAnn = { identityId: uuid(100) };
const account = { kind: 'account', ...ofAnn } as const;
const machine = { kind: 'machine_identity', ...ofAnn } as const;

describe('the person of an account', () => {
  it('remains regardless of its keys, unless it is linked by its keys alone', () => {
    expect(isSettled(storedRecord(1, account), () => 'kept')).toBe(true);
    expect(isSettled(storedRecord(1, account), () => 'manual')).toBe(true);
    expect(isSettled(storedRecord(1, account), () => 'loose')).toBe(false);
  });

  it('remains after the account was deleted, although it has no keys', () => {
    expect(isSettled(storedRecord(1, { ...account, status: 'deleted' }), () => 'loose')).toBe(true);
  });

  it('is open while the account is not linked', () => {
    for (const status of ['active', 'deleted']) {
      expect(isSettled(storedRecord(1, { kind: 'account', status }), () => 'kept')).toBe(false);
    }
  });
});

describe('the owner of a machine', () => {
  it('remains regardless of its references only if it was linked manually', () => {
    expect(isSettled(storedRecord(1, { ...machine, decided: true }), () => 'manual')).toBe(true);
    expect(isSettled(storedRecord(1, machine), () => 'kept')).toBe(false);
    expect(isSettled(storedRecord(1, { ...machine, status: 'decommissioned' }), () => 'kept')).toBe(false);
  });
});
