import { encodeId, newUuid, type RecordKind, volumeLimits } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { type Attribute, winners } from './merge-attributes.js';
import { displayNameOf, renderIdentity } from './render-identity.js';

const at = new Date('2026-01-01T00:00:00Z');
const identity = { id: newUuid(), displayName: 'Ann', status: 'active', createdAt: at, updatedAt: at } as const;

const attribute = (field_name: string, place: number, bytes: number): Attribute => ({
  identity_id: 'idn_1',
  field_name,
  field_value: `${place} ${'x'.repeat(bytes)}`,
  source_type: 'csv',
  source_id: 'con_1',
  priority: place,
  updated_at: at.toISOString(),
});

function record(kind: RecordKind, nth: number, bytes: number, status = 'active'): StoredRecord {
  return {
    id: `00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`,
    kind,
    connectorId: newUuid(),
    externalId: `r${nth}`,
    status,
    contentHash: Buffer.alloc(16),
    fields: {},
    changedAt: {},
    createdAt: new Date(at.getTime() + nth),
    updatedAt: at,
    document: JSON.stringify({ external_id: `r${nth}`, filler: 'x'.repeat(bytes) }),
    lastJobId: newUuid(),
    lastSeq: 0,
    decided: false,
    statusSince: at,
  };
}

interface Shown {
  attributes: Attribute[];
  users: { external_id: string }[];
  accounts: { external_id: string }[];
  machine_identities: { external_id: string }[];
  left_out?: Record<string, number>;
}
const render = (attributes: Attribute[], records: StoredRecord[]) => renderIdentity(identity, attributes, records);
const shown = (document: string) => JSON.parse(document) as Shown;

describe('the document of an identity', () => {
  it('contains everything and no left_out below the size limit', () => {
    const document = shown(render([attribute('email', 1, 10)], [record('user', 1, 10), record('account', 2, 10)]));
    expect(document).toMatchObject({ attributes: [{ field_name: 'email' }], users: [{}], accounts: [{}] });
    expect(document).not.toHaveProperty('left_out');
  });

  it('begins with the identity, and contains lists in the order of creation, then of ids', () => {
    const records = [record('user', 2, 1), record('account', 4, 1), record('user', 1, 1), record('account', 3, 1)];
    const sameAge = records.map((each) => (each.kind === 'account' ? { ...each, createdAt: at } : each));
    const document = shown(render([], sameAge));
    expect(document).toMatchObject({
      id: encodeId('identity', identity.id),
      display_name: 'Ann',
      status: 'active',
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
      attributes: [],
      machine_identities: [],
    });
    const ids = [document.users, document.accounts].map((list) => list.map(({ external_id }) => external_id));
    expect(ids).toEqual([
      ['r1', 'r2'],
      ['r3', 'r4'],
    ]);
  });

  it('omits an unknown display name', () => {
    const unnamed = { ...identity, displayName: undefined };
    expect(shown(renderIdentity(unnamed, [], []))).not.toHaveProperty('display_name');
  });

  it('is limited in size, keeps the winner of every field first, and counts omitted candidates', () => {
    const fields = Array.from({ length: 100 }, (_, nth) => `f${String(nth).padStart(3, '0')}`);
    const attributes = fields.flatMap((field) =>
      Array.from({ length: 20 }, (_, place) => attribute(field, place, 1_000)),
    );
    const text = render(attributes, [record('user', 1, 10)]);
    expect(Buffer.byteLength(text)).toBeLessThan(volumeLimits.attributeBytes + 2_000);
    const document = shown(text);
    expect(new Set(document.attributes.map(({ field_name }) => field_name)).size).toBe(100);
    expect(document.left_out).toEqual({ attributes: 2_000 - document.attributes.length });
    const inOrder = attributes.filter((each) =>
      document.attributes.some((other) => other.field_name === each.field_name && other.priority === each.priority),
    );
    expect(document.attributes).toEqual(inOrder);
  });

  it('of a person with thousands of accounts is limited in size and keeps accounts that are not deleted first', () => {
    const accounts = Array.from({ length: 5_000 }, (_, nth) =>
      record('account', nth, 400, nth < 2_500 ? 'deleted' : 'active'),
    );
    const text = render([], [record('user', 9_999, 10), ...accounts, record('machine_identity', 9_998, 10)]);
    expect(Buffer.byteLength(text)).toBeLessThan(volumeLimits.nestedBytes + 2_000);
    const document = shown(text);
    expect(document.users).toHaveLength(1);
    expect(document.accounts.every(({ external_id }) => Number(external_id.slice(1)) >= 2_500)).toBe(true);
    expect(document.left_out?.accounts).toBe(5_000 - document.accounts.length);
    expect(document.accounts.length).toBeGreaterThan(1_000);
  });
});

describe('the display name of an identity', () => {
  const nameOf = (values: Record<string, string>, records: StoredRecord[] = []) => {
    const attributes = Object.entries(values).map(([field, value]) => ({
      ...attribute(field, 1, 0),
      field_value: value,
    }));
    return displayNameOf(winners(attributes), records);
  };
  const values = {
    display_name: 'Ann Lee',
    first_name: 'Anna',
    last_name: 'Leigh',
    email: 'ann@x.org',
    user_principal_name: 'ann',
    employee_number: '7',
  };

  it.each([
    ['the display name', [], 'Ann Lee'],
    ['else the first and last name', ['display_name'], 'Anna Leigh'],
    ['else the last name alone', ['display_name', 'first_name'], 'Leigh'],
    ['else the email address', ['display_name', 'first_name', 'last_name'], 'ann@x.org'],
    ['else the user principal name', ['display_name', 'first_name', 'last_name', 'email'], 'ann'],
    ['else the employee number', ['display_name', 'first_name', 'last_name', 'email', 'user_principal_name'], '7'],
  ])('is %s', (_, missing, expected) => {
    expect(nameOf(Object.fromEntries(Object.entries(values).filter(([field]) => !missing.includes(field))))).toBe(
      expected,
    );
  });

  it.each([
    [1, 1, 2, 'Anna Leigh'],
    [2, 2, 2, 'Ann Lee'],
    [1, 2, 2, 'Ann Lee'],
    [3, 3, 2, 'Ann Lee'],
    [1, undefined, 2, 'Ann Lee'],
  ])('is the first and last name only if both precede the display name: %s, %s, %s', (first, last, shown, expected) => {
    const ranks = { first_name: first, last_name: last, display_name: shown };
    const attributes = Object.entries(ranks).flatMap(([field, rank]) =>
      rank === undefined ? [] : [{ ...attribute(field, rank, 0), field_value: values[field as keyof typeof values] }],
    );
    expect(displayNameOf(winners(attributes), [])).toBe(expected);
  });

  it('is the lowest external id without any of these, and absent without records', () => {
    expect(nameOf({}, [record('account', 2, 1), record('account', 1, 1)])).toBe('r1');
    expect(nameOf({})).toBeUndefined();
  });
});
