import { newUuid, type RecordKind } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database, type NamedQuery, type Transaction } from '../../database.js';
import { deleteRecords, insertRecords, type StoredRecord, updateRecords } from '../../directory/records.js';
import { useIndexScans } from '../../transaction-settings.js';
import { maxCounted } from '../page.js';
import { listRecords, recordListQuery } from './list-records.js';
import { searchDocuments, searchQuery } from './search-documents.js';
import { maxCompared, maxFound } from './search-sets.js';
import type { SearchedResource, SearchQuery } from './sorted-hits.js';

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

/** A record whose document is its external id. */
function record(
  externalId: string,
  fields: Record<string, string>,
  given: Partial<StoredRecord> & { connectorId?: string } = {},
): StoredRecord {
  const at = new Date(start + Number(externalId.replace(/\D/g, '')) * 1_000);
  return {
    id: newUuid(),
    kind: 'user' as RecordKind,
    connectorId: newUuid(),
    externalId,
    identityId: newUuid(),
    status: 'active',
    contentHash: Buffer.alloc(16),
    fields: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, [value]])),
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
  await directory.transaction(tenant, (tx) => insertRecords(tx, records));
  await fixture.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select tenant_id, identity_id, min(status), min(created_at), min(updated_at),
            to_json(string_agg(external_id, ',' order by external_id))::text
       from source_records where tenant_id = $1 and identity_id is not null group by 1, 2 on conflict do nothing`,
    [tenant],
  );
}

async function find(tenant: string, resource: SearchedResource, query: Partial<SearchQuery>) {
  const page = await searchDocuments(gateway, tenant, resource, { limit: 50, offset: 0, ...query });
  return { ...page, items: JSON.parse(`[${page.items}]`) as string[] };
}
const found = async (tenant: string, resource: SearchedResource, query: Partial<SearchQuery>) =>
  (await find(tenant, resource, query)).items;

const people = () => [
  record('h1', { first_name: 'Ann', last_name: 'Müller', email: 'ann@x.org', employee_number: '4711' }),
  record('h2', { first_name: 'Anna', last_name: 'Miller', email: 'Anna@x.org', user_principal_name: 'ann@x.org' }),
  record('h3', { first_name: 'John', last_name: 'Smith', email: 'js@x.org' }, { status: 'inactive' }),
  record('h4', { display_name: 'Smith, John', email: 'js4@x.org' }),
];

describe('a search', () => {
  it('finds users by exact values, without regard to case', async () => {
    const tenant = await fixture.tenant();
    await store(tenant, people());
    expect(await found(tenant, 'user', { values: { email: 'ANN@X.org' } })).toEqual(['h1']);
    expect(await found(tenant, 'user', { values: { user_principal_name: 'ann@x.org' } })).toEqual(['h2']);
    expect(await found(tenant, 'user', { values: { employee_number: '4711' } })).toEqual(['h1']);
    expect(await found(tenant, 'user', { values: { employee_number: '471' } })).toEqual([]);
    expect(await found(tenant, 'user', { values: { employee_number: '4711', email: 'anna@x.org' } })).toEqual([]);
  });

  it('finds a record of a source by its external id', async () => {
    const tenant = await fixture.tenant();
    const [ann, ...others] = people();
    await store(tenant, [ann as StoredRecord, ...others]);
    const anchor = { connectorId: String(ann?.connectorId), externalId: 'h1' };
    expect(await found(tenant, 'identity', { anchor })).toEqual(['h1']);
    expect(await found(tenant, 'identity', { anchor: { ...anchor, connectorId: newUuid() } })).toEqual([]);
  });

  it('finds names by the beginning of their words, in any order, in creation order', async () => {
    const tenant = await fixture.tenant();
    await store(tenant, people());
    expect(await found(tenant, 'user', { text: 'ann' })).toEqual(['h1', 'h2']);
    expect(await found(tenant, 'user', { text: 'mull an' })).toEqual(['h1']);
    expect(await found(tenant, 'user', { text: 'john smith' })).toEqual(['h3', 'h4']);
    expect(await found(tenant, 'user', { text: 'john smith', status: 'inactive' })).toEqual(['h3']);
    expect(await found(tenant, 'user', { text: 'js@' })).toEqual(['h3']);
  });

  it('allows one typo in each word if nothing matches as typed', async () => {
    const tenant = await fixture.tenant();
    await store(tenant, people());
    expect(await found(tenant, 'user', { text: 'jhon smiht' })).toEqual(['h3', 'h4']);
    expect(await found(tenant, 'user', { text: 'jhon smiht', status: 'inactive' })).toEqual(['h3']);
    expect(await found(tenant, 'user', { text: 'muller' })).toEqual(['h1']);
    expect(await found(tenant, 'user', { text: 'moller' })).toEqual(['h1', 'h2']);
    expect(await found(tenant, 'user', { text: 'xxxx yyyy' })).toEqual([]);
  });

  it('finds an identity by the values of all of its records, and once', async () => {
    const tenant = await fixture.tenant();
    const identityId = newUuid();
    await store(tenant, [
      record('1', { email: 'ann@x.org', display_name: 'Ann Lee' }, { identityId }),
      record('2', { identifier: 'x77', display_name: 'Ann Lee' }, { identityId, kind: 'account' }),
      record('3', { identifier: 'other', display_name: 'Ann Lee' }, { identityId: undefined, kind: 'account' }),
    ]);
    expect(await found(tenant, 'identity', { text: 'ann lee' })).toEqual(['1,2']);
    expect(await found(tenant, 'identity', { text: 'x77', values: { email: 'ann@x.org' } })).toEqual(['1,2']);
    expect(await found(tenant, 'user', { text: 'x77' })).toEqual([]);
    expect(await found(tenant, 'account', { text: 'ann lee' })).toEqual(['2', '3']);
    expect(await found(tenant, 'account', { text: 'ann lee', isMatched: false })).toEqual(['3']);
  });

  it('pages by offset and by position with the total of all hits', async () => {
    const tenant = await fixture.tenant();
    await store(
      tenant,
      Array.from({ length: 25 }, (_, at) => record(`p${at}`, { display_name: `Ann ${at}` })),
    );
    const all = await find(tenant, 'user', { text: 'ann' });
    expect(all).toMatchObject({ total: 25, isEstimate: false });
    const second = await find(tenant, 'user', { text: 'ann', limit: 10, offset: 10 });
    expect(second.items).toEqual(all.items.slice(10, 20));
    const third = await find(tenant, 'user', { text: 'ann', limit: 10, after: second.last });
    expect(third.items).toEqual(all.items.slice(20));
    expect(third.total).toBe(25);
  });

  it('finds a record by its present values only, and not after its deletion', async () => {
    const tenant = await fixture.tenant();
    const [ann] = people() as [StoredRecord];
    await store(tenant, [ann]);
    const renamed = { ...ann, fields: { ...ann.fields, last_name: ['Lee'] } };
    await directory.transaction(tenant, (tx) => updateRecords(tx, [renamed]));
    expect(await found(tenant, 'user', { text: 'ann lee' })).toEqual(['h1']);
    expect(await found(tenant, 'user', { text: 'ann muller' })).toEqual([]);
    await directory.transaction(tenant, (tx) => deleteRecords(tx, [ann.id]));
    expect(await fixture.rows('select * from search_terms where tenant_id = $1', [tenant])).toEqual([]);
  });

  it("never finds another tenant's records", async () => {
    const [mine, theirs] = [await fixture.tenant(), await fixture.tenant()];
    const [ann] = people() as [StoredRecord];
    await store(theirs, [ann]);
    const anchor = { connectorId: ann.connectorId, externalId: ann.externalId };
    for (const resource of ['identity', 'user', 'account', 'machine_identity'] as const) {
      for (const filter of [{ text: 'ann' }, { text: 'amn' }, { values: { email: 'ann@x.org' } }, { anchor }]) {
        expect(await find(mine, resource, filter)).toMatchObject({ items: [], total: 0 });
      }
    }
    const other = (tx: Transaction) => tx.query<{ count: number }>('select count(*) from search_terms');
    expect(await gateway.transaction(mine, other)).toEqual([{ count: 0 }]);
    expect(await gateway.transaction(theirs, other)).not.toEqual([{ count: 0 }]);
    const list = await listRecords(gateway, mine, 'account', { limit: 50, offset: 0 });
    expect(list).toMatchObject({ items: '', total: 0 });
  });
});

describe.each(['never analysed', 'analysed'])('in a large table, %s, a search', (state) => {
  let tenant: string;

  beforeAll(async () => {
    tenant = await fixture.tenant();
    await fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
          changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since, search_terms)
       select id, $1, case when n % 2 = 0 then 'user' else 'account' end, id, n::text, id, 'active', '', '{}', '{}',
              '2025-01-01', '2025-01-01', '{}', id, 1, '2025-01-01',
              'e:p' || n || E'@x.org\\nw:ann n' || n || ' ' || case when n % 7 = 0 then E'\\nw:many n' || n || ' ' else '' end
         from (select n, gen_random_uuid() as id from generate_series(1, 30000) n) each`,
      [tenant],
    );
    await fixture.rows(
      `insert into search_terms select tenant_id, string_to_table(search_terms, E'\\n') collate "C", id from source_records
        where tenant_id = $1`,
      [tenant],
    );
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select tenant_id, id, status, created_at, updated_at, '{}' from source_records where tenant_id = $1`,
      [tenant],
    );
    if (state === 'analysed') await fixture.rows('analyze search_terms, source_records, identities');
  });

  /** Rows that a statement fetches as the gateway's role. */
  async function fetched({ text, values }: NamedQuery): Promise<number> {
    return gateway.transaction(tenant, async (tx) => {
      await useIndexScans(tx);
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

  it.each([
    ['an exact value', { values: { email: 'p77@x.org' } }],
    ['two words', { text: 'n777 ann' }],
    ['an address', { text: 'p7777@' }],
  ])('reads few rows for %s', async (_, filter) => {
    for (const resource of ['identity', 'user'] as const) {
      const query = searchQuery(tenant, resource, { limit: 50, offset: 0, ...filter });
      expect(await fetched(query)).toBeLessThan(100);
    }
  });

  /** Rows that all statements of a page fetch, and the page. */
  async function read(resource: SearchedResource, query: Partial<SearchQuery>) {
    const statements: NamedQuery[] = [];
    const read = jest.spyOn(gateway, 'read');
    const page = await searchDocuments(gateway, tenant, resource, { limit: 50, offset: 0, ...query });
    for (const [, statement] of read.mock.calls) statements.push(statement);
    read.mockRestore();
    let rows = 0;
    for (const statement of statements) rows += await fetched(statement);
    return { page, rows };
  }

  it.each([
    ['a text of all', 'ann', 9 * maxFound + 2 * maxCompared],
    ['a text of many', 'many', 9 * maxFound + 2 * maxCompared],
    ['words of all', 'ann an', 9 * maxFound + 3 * maxCompared],
  ])('has full pages, and reads a bounded number of rows, for %s', async (_, text, bound) => {
    for (const resource of ['identity', 'user', 'account'] as const) {
      const { page, rows } = await read(resource, { text });
      expect({ resource, rows, few: rows < bound }).toEqual({ resource, rows, few: true });
      const next = await read(resource, { text, after: page.last });
      expect({ resource, rows: next.rows, few: next.rows < bound }).toEqual({ resource, rows: next.rows, few: true });
      expect([page.count, next.page.count]).toEqual([50, 50]);
    }
  });

  it('examines a bounded number of rows for frequent words that no name has together, and says where to go on', async () => {
    const bound = 9 * maxFound + 3 * maxCompared;
    for (const resource of ['identity', 'user'] as const) {
      const { page, rows } = await read(resource, { text: 'ann many' });
      expect({ resource, rows, few: rows < bound }).toEqual({ resource, rows, few: true });
      expect(page).toMatchObject({ count: 0, isCut: true });
      let pages = 1;
      for (let { last } = page; last; pages += 1) {
        last = (await find(tenant, resource, { text: 'ann many', after: last })).last;
      }
      expect(pages).toBeLessThan(30);
    }
  });

  it('lists accounts by an index, and counts a bounded number', async () => {
    const page = { limit: 50, offset: 0 };
    expect(await fetched(recordListQuery(tenant, 'account', page))).toBeLessThan(2 * maxCounted + 200);
    expect(await fetched(recordListQuery(tenant, 'account', { ...page, isMatched: false }))).toBeLessThan(10);
    const ofSource = { ...page, sourceId: newUuid() };
    expect(await fetched(recordListQuery(tenant, 'account', ofSource))).toBeLessThan(10);
    const after = { createdAt: start, id: newUuid() };
    expect(await fetched(recordListQuery(tenant, 'account', { ...ofSource, after }))).toBeLessThan(10);
    expect(await listRecords(gateway, tenant, 'account', page)).toMatchObject({ total: maxCounted, isEstimate: true });
  });
});
