import type { ConnectorInfo, StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rankSources } from '../lifecycle/rank-sources.js';
import { mergeAttributes, winners } from './merge-attributes.js';

const connectorIds = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'] as const;
const identityId = '01900000-0000-7000-8000-000000000001';

function record(parts: Partial<StoredRecord>): StoredRecord {
  return {
    id: '01900000-0000-7000-8000-000000000002',
    kind: 'user',
    connectorId: connectorIds[0],
    externalId: '1',
    status: 'active',
    contentHash: Buffer.alloc(16),
    fields: {},
    changedAt: {},
    createdAt: new Date('2026-01-01T00:00:00Z'),
    updatedAt: new Date('2026-01-01T00:00:00Z'),
    document: '{}',
    lastJobId: identityId,
    lastSeq: 0,
    decided: false,
    statusSince: new Date('2026-01-01T00:00:00Z'),
    ...parts,
  };
}

function connectors(first: number, second: number): Map<string, ConnectorInfo> {
  return new Map([
    [connectorIds[0], { id: connectorIds[0], type: 'csv', priority: first, records: 'user', employments: false }],
    [connectorIds[1], { id: connectorIds[1], type: 'ldif', priority: second, records: 'user', employments: false }],
  ]);
}

function merge(id: string, records: readonly StoredRecord[], sources: Map<string, ConnectorInfo>) {
  return mergeAttributes(id, records, { connectors: sources, rankOf: rankSources(sources, []) });
}

describe('the fields of an employment', () => {
  const employers = new Map(
    [...connectors(10, 20)].map(([id, connector]): [string, ConnectorInfo] => [
      id,
      { ...connector, employments: true },
    ]),
  );
  const shown = (first: Partial<StoredRecord>, second: Partial<StoredRecord>) =>
    merge(identityId, [record(first), record({ connectorId: connectorIds[1], ...second })], employers).map(
      ({ field_name, field_value }) => `${field_name}: ${field_value}`,
    );
  const employee = { fields: { hire_date: ['2027-01-01'], job_title: ['Engineer'], email: ['ann@x.org'] } };
  const contract = { fields: { termination_date: ['2026-12-31'], job_title: ['Contractor'], email: ['ann@c.org'] } };

  it('come from the one that runs, and other fields from the source that precedes', () => {
    expect(shown({ ...employee, status: 'pending' }, contract)).toEqual([
      'email: ann@x.org',
      'email: ann@c.org',
      'job_title: Contractor',
      'termination_date: 2026-12-31',
    ]);
  });

  it.each([
    ['ended', { status: 'inactive' as const }],
    ['is no longer listed', { status: 'deleted' as const, contentHash: Buffer.alloc(0) }],
  ])('do not come from a contract that %s, also if the employment has none', (_, over) => {
    expect(shown(employee, { ...contract, ...over }).filter((each) => !each.startsWith('email'))).toEqual([
      'hire_date: 2027-01-01',
      'job_title: Engineer',
    ]);
  });
});

describe('merging attributes', () => {
  it('puts the lower priority number first', () => {
    const records = [
      record({ fields: { email: ['low@x.org'] } }),
      record({ connectorId: connectorIds[1], fields: { email: ['high@x.org'] } }),
    ];
    const merged = merge(identityId, records, connectors(20, 10));
    expect(merged.map((each) => [each.field_value, each.priority, each.source_type])).toEqual([
      ['high@x.org', 10, 'ldif'],
      ['low@x.org', 20, 'csv'],
    ]);
  });

  it('lists the values of a deleted record only for fields that no other record has', () => {
    const gone = { status: 'deleted' as const, contentHash: Buffer.alloc(0) };
    const records = [
      record({ ...gone, fields: { job_title: ['Head'], employee_number: ['7'], 'attributes.phone': ['1'] } }),
      record({ connectorId: connectorIds[1], fields: { job_title: ['Lead'], 'attributes.phone': [] } }),
    ];
    const shown = (given: StoredRecord[]) =>
      merge(identityId, given, connectors(10, 20)).map(({ field_name, field_value }) => [field_name, field_value]);
    expect(shown(records)).toEqual([
      ['employee_number', '7'],
      ['job_title', 'Lead'],
      ['phone', '1'],
    ]);
    const reported = record({ status: 'deleted', fields: { job_title: ['Head'], status: ['deleted'] } });
    expect(shown([reported, ...records.slice(1)])).toEqual([['job_title', 'Lead']]);
    const leaver = record({ status: 'deleted', fields: { job_title: ['Head'], status: ['inactive'] } });
    expect(shown([leaver, ...records.slice(1)])).toEqual([
      ['job_title', 'Head'],
      ['job_title', 'Lead'],
    ]);
  });

  it('prefers the newer value on equal priorities, then the lower source id', () => {
    const older = record({ fields: { email: ['older@x.org'] } });
    const newer = record({
      connectorId: connectorIds[1],
      fields: { email: ['newer@x.org'] },
      changedAt: { email: '2026-02-01T00:00:00.000Z' },
    });
    const tie = connectors(10, 10);
    expect(winners(merge(identityId, [older, newer], tie)).get('email')?.field_value).toBe('newer@x.org');
    const same = { ...newer, changedAt: {} };
    expect(winners(merge(identityId, [same, older], tie)).get('email')?.field_value).toBe('older@x.org');
  });

  it('lists every value of a field, without status, lists and machines', () => {
    const merged = merge(
      identityId,
      [
        record({ fields: { 'attributes.phone': ['1', '2'], status: ['active'], roles: ['admin'] } }),
        record({ kind: 'machine_identity', fields: { display_name: ['svc'] } }),
      ],
      connectors(10, 10),
    );
    expect(merged.map((each) => [each.field_name, each.field_value])).toEqual([
      ['phone', '1'],
      ['phone', '2'],
    ]);
  });

  it.each<[string, Partial<StoredRecord>, Partial<StoredRecord>]>([
    ['is active', { status: 'active' }, { status: 'inactive', fields: { hire_date: ['2026-05-01'] } }],
    ['has the latest hire date', { fields: { hire_date: ['2026-05-01'] } }, { fields: { hire_date: ['2020-01-01'] } }],
    ['has a hire date', { fields: { hire_date: ['2020-01-01'] } }, {}],
    ['has the lowest external id', { externalId: '1' }, { externalId: '2' }],
  ])('lists of several users of one source only the values of the one that %s', (_what, primary, other) => {
    const titled = (title: string, parts: Partial<StoredRecord>) =>
      record({
        externalId: title,
        ...parts,
        fields: { ...parts.fields, job_title: [title], [`attributes.${title}`]: ['1'] },
      });
    const users = [titled('other', other), titled('primary', primary)];
    const account = record({ kind: 'account', fields: { job_title: ['account'] } });
    for (const records of [users, users.toReversed()]) {
      const merged = merge(identityId, [...records, account], connectors(10, 10));
      const titles = merged.filter(({ field_name }) => field_name === 'job_title').map((each) => each.field_value);
      expect(titles.sort()).toEqual(['account', 'primary']);
      expect(merged.map(({ field_name }) => field_name)).not.toContain('other');
    }
  });

  it('lists values of a connector that was deleted, with an unknown type and priority 0', () => {
    const [value] = merge(identityId, [record({ fields: { email: ['a@x.org'] } })], new Map());
    expect(value).toMatchObject({ field_value: 'a@x.org', source_type: 'unknown', priority: 0 });
  });

  it('does not depend on the order of the records', () => {
    const anyRecord = fc.record({
      connectorId: fc.constantFrom(...connectorIds),
      fields: fc.dictionary(fc.constantFrom('email', 'job_title', 'attributes.phone'), fc.tuple(fc.string()), {
        maxKeys: 3,
      }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(anyRecord, { selector: (each) => each.connectorId, maxLength: 2 }),
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 0, max: 2 }),
        (parts, first, second) => {
          const records = parts.map(record);
          const one = merge(identityId, records, connectors(first, second));
          const other = merge(identityId, [...records].reverse(), connectors(first, second));
          expect(other).toEqual(one);
        },
      ),
    );
  });
});
