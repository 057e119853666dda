import { encodeId, newUuid, type RecordKind, recordFields, recordKinds, volumeLimits } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { type Attribute, mergeAttributes, winners } from './merge-attributes.js';
import { displayNameOf, renderIdentity } from './render-identity.js';
import { personShown, renderRecord } from './render-record.js';

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

describe('the document of a record', () => {
  const tenantId = uuid(800);
  const later = new Date('2026-02-03T04:05:06.789Z');

  function rendered(kind: RecordKind, parts: Partial<StoredRecord> = {}): unknown {
    return JSON.parse(renderRecord(storedRecord(5, { kind, updatedAt: later, ...parts }), tenantId));
  }

  const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-02-03T04:05:06.789Z' };

  describe('the document of a user', () => {
    it('omits unknown values and keeps empty lists', () => {
      expect(rendered('user')).toEqual({
        id: encodeId('user', uuid(5)),
        external_id: 'r5',
        status: 'active',
        tenant_id: encodeId('tenant', tenantId),
        ...times,
        roles: [],
        groups: [],
        departments: [],
      });
    });

    it('contains all values of a list and the first value of any other field', () => {
      const fields = { roles: ['b', 'a'], groups: ['g'], departments: ['d'], email: ['a@x.org', 'b@x.org'] };
      expect(rendered('user', { fields })).toMatchObject({ ...fields, email: 'a@x.org' });
    });

    it('contains every mapped field', () => {
      const names = [
        'user_principal_name',
        'display_name',
        'email',
        'job_title',
        'first_name',
        'last_name',
        'hire_date',
      ];
      const values = Object.fromEntries(names.map((name) => [name, `a ${name}`]));
      const fields = Object.fromEntries(names.map((name) => [name, [`a ${name}`]]));
      expect(rendered('user', { fields })).toMatchObject(values);
    });

    it('shows the status of the record, not the one of the source', () => {
      expect(rendered('user', { status: 'deleted', fields: { status: ['inactive'] } })).toMatchObject({
        status: 'deleted',
      });
    });
  });

  describe('the document of an account', () => {
    it('falls back to the external id and the connector, and omits the person if it is not linked', () => {
      expect(rendered('account')).toEqual({
        id: encodeId('account', uuid(5)),
        external_id: 'r5',
        identifier: 'r5',
        status: 'active',
        source_system_id: encodeId('connector', uuid(1)),
        last_synced_at: times.updated_at,
        ...times,
        groups: [],
      });
    });

    it('shows its identity, and the identifier and source system that the source gives', () => {
      const fields = { identifier: ['ann'], source_system_id: ['sap'] };
      expect(rendered('account', { identityId: uuid(7), fields })).toMatchObject({
        identifier: 'ann',
        source_system_id: 'sap',
        person_id: encodeId('identity', uuid(7)),
      });
    });
  });

  describe('the document of a machine', () => {
    it('falls back to the external id and the class unknown, without people and without risk', () => {
      expect(rendered('machine_identity')).toEqual({
        id: encodeId('machineIdentity', uuid(5)),
        display_name: 'r5',
        classification: 'unknown',
        risk_factors: [],
        status: 'active',
        ...times,
      });
    });

    it('shows people as identity ids, or as the text of the source if they are not resolved', () => {
      const machine = {
        people: { owned_by: uuid(7) },
        handedOver: false,
        risk: {
          score: 30,
          factors: [{ factor: 'shared', points: 10 } as const, { factor: 'unused', points: 20 } as const],
        },
      };
      const fields = { owned_by: ['ann'], manager_id: ['bob@x.org'] };
      const shown = rendered('machine_identity', { machine, fields });
      expect(shown).toMatchObject({
        owned_by: encodeId('identity', uuid(7)),
        manager_id: 'bob@x.org',
        risk_score: 30,
        risk_factors: ['shared', 'unused'],
      });
      expect(shown).not.toHaveProperty('technical_inheritor');
      expect(personShown(storedRecord(5, { machine, fields }), 'technical_inheritor')).toBeUndefined();
    });
  });
});

describe('the fields of a document', () => {
  /** Fields of a complete document. With a change, increase the version of `content-hash.ts`, so that stored ones follow. */
  const shape = [
    'accounts attributes created_at display_name id machine_identities status updated_at users',
    'accounts: created_at display_name external_id first_name groups id identifier job_title last_name last_synced_at person_id source_system_id status updated_at',
    'attributes: field_name field_value identity_id priority source_id source_type updated_at',
    'machine_identities: account_id classification created_at display_name id manager_id owned_by risk_factors risk_score status technical_inheritor updated_at',
    'users: created_at departments display_name email external_id first_name groups hire_date id job_title last_name manager_id roles status tenant_id termination_date updated_at user_principal_name',
  ];
  const tenantId = newUuid();
  const identityId = newUuid();
  const connectorId = newUuid();

  /** A record with a value in each field of its kind. */
  function fullRecord(kind: RecordKind): StoredRecord {
    const { text, list, date, integer } = recordFields[kind];
    const fields = Object.fromEntries([...text, ...list, ...date, ...integer].map((field) => [field, ['1']]));
    const person = newUuid();
    const record = {
      id: newUuid(),
      kind,
      connectorId,
      externalId: 'r1',
      identityId,
      status: 'active',
      contentHash: Buffer.alloc(16),
      fields,
      changedAt: {},
      createdAt: at,
      updatedAt: at,
      document: '',
      lastJobId: newUuid(),
      lastSeq: 0,
      decided: false,
      statusSince: at,
      machine: {
        people: { owned_by: person, manager_id: person, technical_inheritor: person },
        handedOver: false,
        risk: { score: 1, factors: [] },
      },
    };
    return { ...record, document: renderRecord(record, tenantId) };
  }

  function shapeOf(document: Record<string, unknown>): string[] {
    const top = Object.keys(document).sort().join(' ');
    const lists = Object.entries(document).filter((entry): entry is [string, object[]] => Array.isArray(entry[1]));
    const items = lists.map(([name, [first = {}]]) => `${name}: ${Object.keys(first).sort().join(' ')}`);
    return [top, ...items.sort()];
  }

  it('are those that readers know', () => {
    const records = recordKinds.map(fullRecord);
    const connector = { id: connectorId, type: 'csv', priority: 1 };
    const connectors = new Map([[connectorId, connector as never]]);
    const attributes = mergeAttributes(identityId, records, { connectors, rankOf: () => 1 });
    const identity = { id: identityId, displayName: 'Ann', status: 'active', createdAt: at, updatedAt: at } as const;
    const document = JSON.parse(renderIdentity(identity, attributes, records));
    expect(shapeOf(document)).toEqual(shape);
  });
});
