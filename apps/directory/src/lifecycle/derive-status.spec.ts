import { encodeId, type PersonStatus } from '@idsync/contracts';
import type { ConnectorInfo } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { deriveIdentityStatus } from './derive-status.js';

/** Sources 1, 2 and 3 in the order of their precedence; 3 and 4 have the same, and so have the employers 6, 7 and 8. */
const rankOf = (connectorId: string) => {
  const source = Number(connectorId.slice(-1));
  return source > 5 ? (source - 5) * 10 + 5 : Math.min(source, 3) * 10;
};
const connectors = new Map(
  [6, 7, 8].map((source): [string, ConnectorInfo] => [
    uuid(source),
    { id: uuid(source), type: 'csv', priority: 1, records: 'user', employments: true },
  ]),
);
const statusOf = (...records: Parameters<typeof deriveIdentityStatus>[0][number][]) =>
  deriveIdentityStatus(records, { rankOf, connectors });

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

  it.each([
    ['deleted', 'active', 'deleted'],
    ['deleted', 'disabled', 'deleted'],
    ['deleted', 'deleted', 'active'],
    ['inactive', 'active', 'active'],
  ])('without users, of an identity that was %s with an account that was %s, is %s', (status, had, expected) => {
    const before = { document: JSON.stringify({ status, accounts: [{ status: had }] }) };
    expect(deriveIdentityStatus([account('active')], { rankOf, connectors }, before)).toBe(expected);
  });

  it('is that of a user again, whatever the identity was with its accounts', () => {
    const before = { document: JSON.stringify({ status: 'deleted', users: [], accounts: [{ status: 'active' }] }) };
    expect(deriveIdentityStatus([user(1, 'active'), account('active')], { rankOf, connectors }, before)).toBe('active');
  });

  it('is that of its machine without users and accounts, and deleted without any record', () => {
    expect(statusOf(machine('orphaned'))).toBe('active');
    expect(statusOf()).toBe('deleted');
  });
});

describe('the status of a person with employments in several sources', () => {
  it.each([
    ['a contract runs while the employment has not begun', ['pending', 'active'], 'active'],
    ['the employment has begun after the contract', ['active', 'inactive'], 'active'],
    ['one of two employers says that the person has left', ['inactive', 'active'], 'active'],
    ['the employment is to come after the contract', ['inactive', 'pending'], 'pending'],
    ['both have ended', ['inactive', 'deleted'], 'inactive'],
    ['the employer that precedes has suspended the person', ['suspended', 'active'], 'suspended'],
  ])('when %s', (_, statuses, expected) => {
    const records = statuses.map((status, nth) => user(6 + nth, status));
    expect(statusOf(...records)).toBe(expected);
    expect(statusOf(...records.reverse())).toBe(expected);
  });

  it('is not revived by a directory, whatever its precedence', () => {
    expect(statusOf(user(1, 'active'), user(6, 'inactive'))).toBe('inactive');
    expect(statusOf(user(1, 'active'), user(6, 'inactive'), user(7, 'pending'))).toBe('pending');
  });

  it('follows a directory of higher precedence while an employment runs or is to come', () => {
    expect(statusOf(user(1, 'suspended'), user(6, 'active'))).toBe('suspended');
    expect(statusOf(user(1, 'active'), user(6, 'pending'))).toBe('active');
    expect(statusOf(user(3, 'active'), user(6, 'pending'))).toBe('pending');
  });
});

describe('the status of a person after a record is gone', () => {
  const one = (nth: number, source: number, status: string) =>
    storedRecord(nth, {
      connectorId: uuid(source),
      status: status === 'gone' ? 'deleted' : status,
      ...(status === 'gone' && { contentHash: Buffer.alloc(0) }),
    });
  /** Users of the sources 1, 2 and 3, each with the status before and now; `-` for none. */
  const after = (status: PersonStatus, steps: readonly (readonly [string, string])[], operationId?: string) => {
    const users = steps.flatMap(([was], nth) =>
      was === '-' ? [] : [{ id: encodeId('user', uuid(nth + 1)), status: was === 'gone' ? 'deleted' : was }],
    );
    const records = steps.flatMap(([, is], nth) => (is === '-' ? [] : [one(nth + 1, nth + 1, is)]));
    const before = { status, document: JSON.stringify({ status, users, accounts: [] }) };
    return deriveIdentityStatus(records, { rankOf, connectors, operationId }, before);
  };

  it.each([
    [
      'inactive',
      [
        ['inactive', 'gone'],
        ['active', 'active'],
      ],
    ],
    [
      'pending',
      [
        ['pending', 'gone'],
        ['active', 'active'],
      ],
    ],
    [
      'suspended',
      [
        ['suspended', 'gone'],
        ['active', 'active'],
      ],
    ],
    [
      'deleted',
      [
        ['deleted', 'gone'],
        ['active', 'active'],
      ],
    ],
    [
      'inactive',
      [
        ['inactive', 'gone'],
        ['active', 'active'],
        ['inactive', 'inactive'],
      ],
    ],
    [
      'inactive',
      [
        ['inactive', 'gone'],
        ['suspended', 'suspended'],
      ],
    ],
    [
      'inactive',
      [
        ['gone', 'gone'],
        ['active', 'active'],
      ],
    ],
    [
      'inactive',
      [
        ['gone', '-'],
        ['active', 'active'],
      ],
    ],
    [
      'deleted',
      [
        ['deleted', '-'],
        ['active', 'active'],
      ],
    ],
    [
      'inactive',
      [
        ['gone', 'gone'],
        ['active', 'suspended'],
      ],
    ],
  ] as const)('is still %s after %j', (status, steps) => {
    expect(after(status, steps)).toBe(status);
  });

  it.each([
    [
      'is new',
      'inactive',
      [
        ['inactive', 'gone'],
        ['-', 'active'],
      ],
    ],
    [
      'becomes active',
      'inactive',
      [
        ['gone', 'gone'],
        ['inactive', 'active'],
      ],
    ],
    [
      'is listed again',
      'inactive',
      [
        ['gone', 'active'],
        ['active', 'active'],
      ],
    ],
    [
      'becomes active while another is gone',
      'inactive',
      [
        ['inactive', 'gone'],
        ['suspended', 'active'],
      ],
    ],
    [
      'remains, and the other one belongs to another person now',
      'inactive',
      [
        ['inactive', '-'],
        ['active', 'active'],
      ],
    ],
    [
      'is active, as the person was',
      'active',
      [
        ['active', 'gone'],
        ['active', 'active'],
      ],
    ],
  ] as const)('is active if a user %s', (_, status, steps) => {
    expect(after(status, steps)).toBe('active');
  });

  it('is that of what remains if an operation removes the record, and kept if it was before', () => {
    expect(
      after(
        'inactive',
        [
          ['inactive', 'gone'],
          ['active', 'active'],
        ],
        uuid(1),
      ),
    ).toBe('active');
    expect(
      after(
        'inactive',
        [
          ['gone', 'gone'],
          ['active', 'active'],
        ],
        uuid(1),
      ),
    ).toBe('inactive');
  });
});
