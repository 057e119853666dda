import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../test/stored-record.js';
import { deriveIdentityStatus } from './derive-status.js';

/** Sources 1, 2 and 3 in the order of their precedence; 3 and 4 have the same. */
const rankOf = (connectorId: string) => Math.min(Number(connectorId.slice(-1)), 3) * 10;
const statusOf = (...records: Parameters<typeof deriveIdentityStatus>[0][number][]) =>
  deriveIdentityStatus(records, rankOf);

const user = (source: number, status: string) => storedRecord(1, { connectorId: uuid(source), status });
const unlistedUser = (source: number) => ({ ...user(source, 'deleted'), contentHash: Buffer.alloc(0) });
const account = (status: string) => storedRecord(2, { kind: 'account', status });
const machine = (status: string) => storedRecord(3, { kind: 'machine_identity', status });

describe('the status of an identity', () => {
  it.each(['pending', 'active', 'suspended', 'inactive', 'deleted'])(
    'is %s if the first source that lists the person says so, whatever later sources and accounts say',
    (status) => {
      expect(statusOf(user(2, 'active'), user(1, status), account('active'))).toBe(status);
      expect(statusOf(user(1, status), user(2, 'inactive'), account('disabled'))).toBe(status);
    },
  );

  it('comes from the next source when the first one no longer lists the person', () => {
    expect(statusOf(unlistedUser(1), user(2, 'active'))).toBe('active');
    expect(statusOf(unlistedUser(1), user(2, 'inactive'), user(3, 'active'))).toBe('inactive');
  });

  it('is deleted when no source lists the person', () => {
    expect(statusOf(unlistedUser(1), unlistedUser(2), account('active'))).toBe('deleted');
  });

  it.each([
    [['inactive', 'active'], 'active'],
    [['pending', 'suspended'], 'pending'],
    [['deleted', 'suspended', 'inactive'], 'suspended'],
    [['deleted'], 'deleted'],
  ])('is the best of %j within one source, and among sources of equal precedence: %s', (statuses, expected) => {
    expect(statusOf(...statuses.map((status) => user(1, status)), user(2, 'active'))).toBe(expected);
    expect(statusOf(...statuses.map((status, nth) => user(3 + (nth % 2), status)))).toBe(expected);
  });

  it('is the best of its accounts when it has no users', () => {
    expect(statusOf(account('locked'), account('deleted'))).toBe('suspended');
    expect(statusOf(account('disabled'))).toBe('inactive');
    expect(statusOf(account('unknown'))).toBe('inactive');
  });

  it('is that of its machine without users and accounts, and deleted without any record', () => {
    expect(statusOf(machine('orphaned'))).toBe('active');
    expect(statusOf()).toBe('deleted');
  });
});
