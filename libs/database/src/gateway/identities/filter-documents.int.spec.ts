import { newUuid, type RecordKind } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, type NamedQuery, type Transaction } from '../../database.js';
import { deleteRecords, insertRecords, type StoredRecord, updateRecords } from '../../directory/records.js';
import { renewListTerms } from '../../directory/save-terms.js';
import { useIndexScans } from '../../transaction-settings.js';
import {
  type FilteredResource,
  filterDocuments,
  filterQuery,
  maxExamined,
  maxFilteredTotal,
} from './filter-documents.js';
import { searchDocuments, searchQuery } from './search-documents.js';
import type { SearchQuery } from './sorted-hits.js';

let testDatabase: TestDatabase;
let gateway: Database;
let directory: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  gateway = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  directory = await Database.connect({ url: testDatabase.url, service: 'directory' });
  fixture = DirectoryFixture.connect(testDatabase.url);
});

afterAll(async () => {
  await gateway?.close();
  await directory?.close();
  await fixture?.close();
  await testDatabase?.drop();
});

const start = Date.parse('2026-01-01T00:00:00Z');
const [hr, crm] = [newUuid(), newUuid()];

/** A record whose document is its external id, created in the order of its number. */
function record(externalId: string, fields: Record<string, string[]>, given: Partial<StoredRecord> = {}): StoredRecord {
  const at = new Date(start + Number(externalId.replace(/\D/g, '')) * 1_000);
  return {
    id: newUuid(),
    kind: 'user' as RecordKind,
    connectorId: hr,
    externalId,
    identityId: newUuid(),
    status: 'active',
    contentHash: Buffer.alloc(16),
    fields,
    changedAt: {},
    createdAt: at,
    updatedAt: at,
    document: JSON.stringify(externalId),
    lastJobId: newUuid(),
    lastSeq: 0,
    decided: false,
    statusSince: at,
    ...given,
  };
}

/** Stores records, and an identity for each of theirs whose document lists the external ids. */
async function store(tenant: string, records: readonly StoredRecord[]): Promise<void> {
  // External ids are unique in a source.
  const own = new Map([hr, crm].map((id) => [id, newUuid()]));
  const placed = records.map((each) => ({ ...each, connectorId: own.get(each.connectorId) ?? each.connectorId }));
  sources.set(tenant, own);
  await directory.transaction(tenant, (tx) => insertRecords(tx, placed));
  await fixture.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select tenant_id, identity_id, min(status), min(created_at), max(updated_at),
            to_json(string_agg(external_id, ',' order by external_id))::text
       from source_records where tenant_id = $1 and identity_id is not null group by 1, 2 on conflict do nothing`,
    [tenant],
  );
}
const sources = new Map<string, Map<string, string>>();

async function find(tenant: string, resource: FilteredResource, query: Partial<SearchQuery>) {
  const sourceId = query.sourceId && sources.get(tenant)?.get(query.sourceId);
  const given = { limit: 50, offset: 0, ...query, ...(sourceId && { sourceId }) };
  const page = await filterDocuments(gateway, tenant, resource, given);
  return { ...page, items: JSON.parse(`[${page.items}]`) as string[] };
}
const found = async (tenant: string, resource: FilteredResource, query: Partial<SearchQuery>) =>
  (await find(tenant, resource, query)).items;

/** Reads all pages by their positions. */
async function pages(tenant: string, resource: FilteredResource, query: Partial<SearchQuery>): Promise<string[]> {
  const all: string[] = [];
  for (let after: SearchQuery['after']; ; ) {
    const page = await find(tenant, resource, { limit: 3, ...query, after });
    all.push(...page.items);
    if (page.count < 3) return all;
    after = page.last;
  }
}

const boss = newUuid();
const people = () => [
  record('1', { departments: ['Büro Köln', 'Board'], 'attributes.site': ['K1'] }, { managerId: boss }),
  record('2', { departments: ['buro koln'], 'attributes.site': ['k2'] }, { managerId: boss, status: 'inactive' }),
  record('3', { departments: ['Sales'], 'attributes.site': ['K1', 'K3'], 'attributes.floor': ['k1'] }),
  record('4', { departments: ['Sales'] }, { connectorId: crm, updatedAt: new Date(start + 86_400_000) }),
];

describe('a list with filters', () => {
  it.each([
    [{ department: 'BURO köln' }, ['1', '2']],
    [{ department: 'Buro' }, []],
    [{ attributes: { site: 'k1' } }, ['1', '3']],
    [{ attributes: { floor: 'K1' } }, ['3']],
    [{ attributes: { site: 'K1', floor: 'k1' } }, ['3']],
    [{ attributes: { site: 'K1' }, department: 'board' }, ['1']],
    [{ managerId: boss }, ['1', '2']],
    [{ managerId: boss, status: 'active' }, ['1']],
    [{ managerId: newUuid() }, []],
    [{ sourceId: crm }, ['4']],
    [{ sourceId: hr, department: 'sales' }, ['3']],
    [{ department: 'sales', updatedSince: new Date(start + 3_600_000) }, ['4']],
    [{ department: 'sales', status: 'inactive' }, []],
    [{ department: '  ' }, []],
  ])('finds users and identities that fulfil all of them: %j', async (query, expected) => {
    const tenant = await fixture.tenant();
    await store(tenant, people());
    for (const resource of ['user', 'identity'] as const) {
      expect(await find(tenant, resource, query)).toMatchObject({ items: expected, total: expected.length });
    }
  });

  it('finds an identity once, by all of its records', async () => {
    const tenant = await fixture.tenant();
    const identityId = newUuid();
    await store(tenant, [
      record('1', { departments: ['Sales'] }, { identityId }),
      record('2', { departments: ['Sales'] }, { identityId, connectorId: crm }),
      record('3', { 'attributes.site': ['K1'] }, { identityId, kind: 'account', connectorId: crm }),
      record('4', { departments: ['Sales'], 'attributes.site': ['K1'] }, { kind: 'account', identityId: undefined }),
    ]);
    for (const query of [{ department: 'sales' }, { sourceId: crm }, { attributes: { site: 'K1' }, sourceId: hr }]) {
      expect(await find(tenant, 'identity', query)).toMatchObject({ items: ['1,2,3'], total: 1 });
    }
    expect(await found(tenant, 'user', { attributes: { site: 'K1' } })).toEqual([]);
  });

  it('does not find an identity by the values of its deleted records unless the identity is deleted', async () => {
    const tenant = await fixture.tenant();
    const identityId = newUuid();
    await store(tenant, [
      record('1', { departments: ['Sales'] }, { identityId, status: 'deleted', connectorId: crm }),
      record('2', { departments: ['Board'] }, { identityId }),
      record('3', { departments: ['Sales'] }, { status: 'deleted' }),
    ]);
    await fixture.rows(`update identities set status = 'active' where id = $1`, [identityId]);
    expect(await found(tenant, 'identity', { department: 'sales' })).toEqual([]);
    expect(await found(tenant, 'identity', { sourceId: crm })).toEqual([]);
    expect(await found(tenant, 'identity', { department: 'board', sourceId: crm })).toEqual([]);
    expect(await found(tenant, 'identity', { department: 'board', sourceId: hr })).toEqual(['1,2']);
    expect(await found(tenant, 'identity', { department: 'sales', sourceId: hr, status: 'deleted' })).toEqual(['3']);
  });

  it('follows the redirect of a merged manager', async () => {
    const tenant = await fixture.tenant();
    await store(tenant, people());
    const old = newUuid();
    await fixture.rows(
      'insert into identity_redirects (tenant_id, id, into_id, created_at, merged_at) values ($1, $2, $3, now(), now())',
      [tenant, old, boss],
    );
    expect(await found(tenant, 'user', { managerId: old })).toEqual(['1', '2']);
  });

  it('has the same items by offset and by position, along whichever filter', async () => {
    const tenant = await fixture.tenant();
    const all = Array.from({ length: 30 }, (_, at) =>
      record(
        `${at + 10}`,
        { departments: [at % 2 ? 'Sales' : 'Board'], 'attributes.site': [`K${at % 3}`] },
        { connectorId: at % 5 ? hr : crm, status: at % 7 ? 'active' : 'suspended' },
      ),
    );
    await store(tenant, all);
    const since = new Date(start + 20_000);
    for (const query of [
      { department: 'sales' },
      { department: 'sales', attributes: { site: 'k1' } },
      { sourceId: hr, status: 'suspended' },
      { sourceId: crm, updatedSince: since },
      { sourceId: hr, updatedSince: since, department: 'board' },
    ]) {
      const expected = all
        .filter(
          ({ fields, connectorId, status, updatedAt }) =>
            (!query.department || fields.departments?.[0]?.toLowerCase() === query.department) &&
            (!query.attributes || fields['attributes.site']?.[0]?.toLowerCase() === query.attributes.site) &&
            (!query.sourceId || connectorId === query.sourceId) &&
            (!query.status || status === query.status) &&
            (!query.updatedSince || updatedAt >= query.updatedSince),
        )
        .map(({ externalId }) => externalId);
      expect(expected.length).toBeGreaterThan(1);
      for (const resource of ['user', 'identity'] as const) {
        expect(await pages(tenant, resource, query)).toEqual(expected);
        expect(await found(tenant, resource, { ...query, offset: 1 })).toEqual(expected.slice(1));
        for (let along = 0; along < 3; along += 1) {
          const after = { createdAt: 0, id: newUuid(), along };
          expect(await found(tenant, resource, { ...query, after })).toEqual(expected);
        }
      }
    }
  });

  it('can be combined with a search', async () => {
    const tenant = await fixture.tenant();
    await store(tenant, [
      record('1', { departments: ['Sales'], display_name: ['Ann Lee'], 'attributes.site': ['K1'] }),
      record('2', { departments: ['Board'], display_name: ['Ann Lee'], 'attributes.site': ['K1'] }),
    ]);
    for (const resource of ['user', 'identity'] as const) {
      const search = async (query: SearchQuery) => (await searchDocuments(gateway, tenant, resource, query)).items;
      const page = { limit: 50, offset: 0, text: 'ann' };
      expect(await search({ ...page, department: 'board', attributes: { site: 'k1' } })).toBe('"2"');
      expect(await search({ ...page, department: 'board', sourceId: newUuid() })).toBe('');
    }
  });

  it('finds a record by its present values only, and not after its deletion', async () => {
    const tenant = await fixture.tenant();
    const [ann] = people() as [StoredRecord];
    await store(tenant, [ann]);
    const moved = { ...ann, fields: { ...ann.fields, departments: ['Sales'] } };
    await directory.transaction(tenant, (tx) => updateRecords(tx, [moved]));
    expect(await found(tenant, 'user', { department: 'sales' })).toEqual(['1']);
    expect(await found(tenant, 'user', { department: 'board' })).toEqual([]);
    expect(await found(tenant, 'user', { attributes: { site: 'K1' } })).toEqual(['1']);
    await directory.transaction(tenant, (tx) => deleteRecords(tx, [ann.id]));
    expect(await fixture.rows('select * from list_terms where tenant_id = $1', [tenant])).toEqual([]);
  });

  it('finds records with terms of another form once their terms are renewed', async () => {
    const tenant = await fixture.tenant();
    const [ann] = people() as [StoredRecord];
    await store(tenant, [ann]);
    await fixture.rows('update source_records set list_terms = null where tenant_id = $1', [tenant]);
    await fixture.rows('delete from list_terms where tenant_id = $1', [tenant]);
    for (let round = 0; round < 2; round += 1) await directory.transaction(tenant, (tx) => renewListTerms(tx, [ann]));
    expect(await found(tenant, 'user', { department: 'board' })).toEqual(['1']);
  });

  it("never has another tenant's items", async () => {
    const [mine, theirs] = [await fixture.tenant(), await fixture.tenant()];
    await store(theirs, people());
    const sourceId = sources.get(theirs)?.get(hr);
    for (const resource of ['identity', 'user'] as const) {
      for (const query of [
        { department: 'sales' },
        { attributes: { site: 'k1' } },
        { managerId: boss },
        { sourceId },
      ]) {
        expect(await find(mine, resource, query)).toMatchObject({ items: [], total: 0 });
        expect((await find(theirs, resource, query)).items).not.toEqual([]);
      }
    }
    const terms = (tx: Transaction) => tx.query<{ count: number }>('select count(*) from list_terms');
    expect(await gateway.transaction(mine, terms)).toEqual([{ count: 0 }]);
  });
});

describe.each(['never analysed', 'analysed'])('in a large table, %s, a list with filters', (state) => {
  let tenant: string;
  let sourceId: string;
  const managerId = newUuid();
  const last = new Date('2025-06-01');

  beforeAll(async () => {
    tenant = await fixture.tenant();
    sourceId = newUuid();
    await fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
          changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since, manager_id)
       select id, $1, 'user', $2, n::text, id, case when n % 3000 = 0 then 'suspended' else 'active' end, '', '{}', '{}',
              made, case when n % 3000 = 1 then $4::timestamptz else made end, '{}', id, 1, made,
              case when n % 3000 < 5 then $3::uuid else id end
         from (select n, gen_random_uuid() as id, '2025-01-01'::timestamptz + n * interval '1 second' as made
                 from generate_series(1, 30000) n) each`,
      [tenant, sourceId, managerId, last],
    );
    await fixture.rows(
      `insert into list_terms select tenant_id, term, created_at, id from source_records
        cross join lateral (values ('d:sales'), ('a:badge:' || external_id), ('a:site:' || external_id::integer % 1000)) as t (term)
        where tenant_id = $1`,
      [tenant],
    );
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select tenant_id, id, status, created_at, updated_at, '{}' from source_records where tenant_id = $1`,
      [tenant],
    );
    for (const table of ['list_terms', 'source_records', 'identities']) {
      await fixture.rows(`alter table ${table} set (autovacuum_enabled = off)`);
      await fixture.rows(`delete from pg_statistic where starelid = '${table}'::regclass`);
    }
    if (state === 'analysed') await fixture.rows('analyze list_terms, source_records, identities');
  });

  /** Rows that a statement fetches as the gateway's role. */
  async function fetched({ text, values, isInIndexOrder }: NamedQuery): Promise<number> {
    return gateway.transaction(tenant, async (tx) => {
      await useIndexScans(tx);
      if (isInIndexOrder) await tx.query('set local enable_sort = off');
      const count = async () => {
        const [row] = await tx.query<{ count: number }>(
          'select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint as count from pg_stat_xact_user_tables',
        );
        return row?.count ?? Number.NaN;
      };
      const before = await count();
      await tx.query(text, values);
      return (await count()) - before;
    });
  }

  const cases: [string, () => Partial<SearchQuery>, along: number, bound: number][] = [
    ['a unique attribute', () => ({ attributes: { badge: '777' } }), 0, 20],
    ['an attribute of 30', () => ({ attributes: { site: '77' } }), 0, 600],
    ['a manager', () => ({ managerId }), 0, 800],
    ['a department of all', () => ({ department: 'sales' }), 0, 7 * maxFilteredTotal],
    ['the only source', () => ({ sourceId }), 0, 7 * maxFilteredTotal],
    ['a source and a rare attribute', () => ({ sourceId, attributes: { site: '77' } }), 0, 800],
    ['a source and a rare status', () => ({ sourceId, status: 'suspended' }), 1, 200],
    ['a source and few changes', () => ({ sourceId, updatedSince: last }), 99, 200],
    ['a department, a source and few changes', () => ({ department: 'sales', sourceId, updatedSince: last }), 99, 200],
  ];

  it.each(cases)('reads few rows for %s', async (_, query, along, bound) => {
    for (const resource of ['identity', 'user'] as const) {
      const rows = await fetched(filterQuery(tenant, resource, { limit: 50, offset: 0, ...query() }, along));
      expect({ resource, rows, few: rows < bound }).toEqual({ resource, rows, few: true });
      const page = await filterDocuments(gateway, tenant, resource, { limit: 50, offset: 0, ...query() });
      expect({ count: page.count, along: page.last?.along }).toEqual({ count: expect.any(Number), along });
      expect(page.count).toBeGreaterThan(0);
      expect(page.isEstimate).toBe(page.total === maxFilteredTotal);
    }
  });

  it('reads no item that another filter excludes, and none twice', async () => {
    await fixture.rows(
      `insert into list_terms select tenant_id, 'd:board', created_at, id from source_records
        where tenant_id = $1 and external_id::integer % 1000 = 78 on conflict do nothing`,
      [tenant],
    );
    for (const resource of ['identity', 'user'] as const) {
      const none = { limit: 50, offset: 0, attributes: { site: '77' }, department: 'board' };
      // The index entries of the filter are read once more, to know whether it has more than a page examines.
      const rows = await fetched(filterQuery(tenant, resource, none, 0));
      expect({ resource, rows, few: rows <= 100 + 30 }).toEqual({ resource, rows, few: true });
      expect(await filterDocuments(gateway, tenant, resource, none)).toMatchObject({ count: 0, total: 0 });
    }
  });

  it('examines a bounded number of rows if many fulfil each filter and none fulfils all, and says where to go on', async () => {
    await fixture.rows(
      `insert into list_terms select tenant_id, 'd:ops', created_at, id from source_records
        where tenant_id = $1 and external_id::integer % 2 = 0 on conflict do nothing`,
      [tenant],
    );
    await fixture.rows(
      `insert into list_terms select tenant_id, 'a:odd:1', created_at, id from source_records
        where tenant_id = $1 and external_id::integer % 2 = 1 on conflict do nothing`,
      [tenant],
    );
    for (const resource of ['identity', 'user'] as const) {
      const query: SearchQuery = { limit: 50, offset: 0, department: 'ops', attributes: { odd: '1' }, sourceId };
      expect(await fetched(filterQuery(tenant, resource, query, 0))).toBeLessThan(8 * maxExamined);
      const page = await filterDocuments(gateway, tenant, resource, query);
      expect(page).toMatchObject({ count: 0, isCut: true, total: 0, isEstimate: true });
      const rest = { ...query, after: page.last };
      expect(await fetched(filterQuery(tenant, resource, rest, 0))).toBeLessThan(16 * maxExamined);
      let pages = 1;
      for (let { last } = page; last; pages += 1) {
        last = (await filterDocuments(gateway, tenant, resource, { ...query, after: last })).last;
      }
      expect(pages).toBeLessThan(10);
    }
  });

  it('reads few rows for a page far behind', async () => {
    for (const resource of ['identity', 'user'] as const) {
      for (const query of [{ department: 'sales' }, { sourceId }]) {
        const at = Date.parse('2025-01-01T00:00:00Z') + 29_000_000;
        const after = { createdAt: at, id: newUuid(), along: 0 };
        const rows = await fetched(filterQuery(tenant, resource, { limit: 50, offset: 0, after, ...query }, 0));
        expect({ resource, rows, few: rows < 7 * maxFilteredTotal }).toEqual({ resource, rows, few: true });
      }
    }
  });

  it('reads few rows for an external id in all sources', async () => {
    for (const resource of ['identity', 'user'] as const) {
      const query = { limit: 50, offset: 0, anchor: { externalId: '777' } };
      await fixture.rows(
        `insert into connectors (id, tenant_id, type, name, priority, records, config)
         values ($1, $2, 'csv', 'HR', 1, 'user', '{}') on conflict do nothing`,
        [sourceId, tenant],
      );
      expect(await fetched(searchQuery(tenant, resource, query))).toBeLessThan(20);
      expect(await searchDocuments(gateway, tenant, resource, query)).toMatchObject({ count: 1, total: 1 });
    }
  });

  it('reads few rows for filters beside a search', async () => {
    for (const resource of ['identity', 'user'] as const) {
      const query = { limit: 50, offset: 0, values: { email: 'x@x.org' }, department: 'sales', sourceId };
      expect(await fetched(searchQuery(tenant, resource, query))).toBeLessThan(100);
    }
  });
});
