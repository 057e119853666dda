import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Database } from '../../database.js';
import { insertRecords, type StoredRecord } from '../../directory/records.js';
import { filterDocuments } from './filter-documents.js';
import { listRecords } from './list-records.js';
import { isSearch, searchDocuments } from './search-documents.js';
import type { SearchedResource, SearchQuery } from './sorted-hits.js';

/** More people than a page examines, and more terms of the most frequent name than a search reads. */
const peopleCount = 8_000;
const machineCount = 12_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const since = new Date(start + 86_400_000);
const [hr, crm, boss, otherBoss] = [newUuid(), newUuid(), newUuid(), newUuid()] as const;

let testDatabase: TestDatabase;
let gateway: Database;
let directory: Database;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  gateway = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  directory = await Database.connect({ url: testDatabase.url, service: 'directory' });
  fixture = DirectoryFixture.connect(testDatabase.url);
  tenant = await fixture.tenant();
  const records = Array.from({ length: peopleCount }, (_, nth) => recordsOf(nth)).flat();
  for (let at = 0; at < records.length; at += 1_000) {
    await directory.transaction(tenant, (tx) => insertRecords(tx, records.slice(at, at + 1_000)));
  }
  await fixture.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since, search_terms)
     select id, $1, 'machine_identity', case when n % 2 = 0 then $2::uuid else $3 end, 'm' || n,
            case when n % 3 = 0 then id end, case when n % 40 = 0 then 'orphaned' else 'active' end, '',
            jsonb_build_object('identifier', jsonb_build_array('svc-' || n), 'classification', jsonb_build_array(case when n % 4000 = 0 then 'bot' else 'service' end)),
            '{}', '2026-01-01'::timestamptz + n / 10 * interval '1 second', '2026-01-01', to_json('m' || n), id, 1,
            '2026-01-01', 'i:svc-' || n
       from (select n, gen_random_uuid() as id from generate_series(1, ${machineCount}) n) as each`,
    [tenant, hr, crm],
  );
  await fixture.rows(
    `insert into search_terms select tenant_id, search_terms, id from source_records
      where tenant_id = $1 and kind = 'machine_identity'`,
    [tenant],
  );
  await fixture.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select tenant_id, identity_id, min(status), min(created_at), max(updated_at),
            to_json(min(external_id))::text
       from source_records where tenant_id = $1 and kind <> 'machine_identity' group by 1, 2`,
    [tenant],
  );
}, 120_000);

afterAll(async () => {
  await gateway?.close();
  await directory?.close();
  await fixture?.close();
  await testDatabase?.drop();
});

/** A number from 0 to 99 that depends on the person and the question only. */
const share = (nth: number, question: number) => (((nth * 7_919 + question * 104_729) * 2_654_435_761) % 2 ** 32) % 100;

/** A person's user, and for each fourth person an account in the other source. */
function recordsOf(nth: number): StoredRecord[] {
  const at = new Date(start + Math.floor(nth / 50) * 1_000);
  const first = share(nth, 1) < 70 ? 'Anna' : share(nth, 1) < 99 ? 'Bob' : 'Zoe';
  const last = `L${nth % 700}`;
  const login = `${first}.${last}.${nth}`.toLowerCase();
  const user: StoredRecord = {
    id: newUuid(),
    kind: 'user',
    connectorId: share(nth, 2) < 60 ? hr : crm,
    externalId: `${nth}`,
    identityId: newUuid(),
    status: share(nth, 3) < 92 ? 'active' : share(nth, 3) < 96 ? 'suspended' : 'deleted',
    contentHash: Buffer.alloc(16),
    fields: {
      first_name: [first],
      last_name: [last],
      display_name: [`${last}, ${first} (X${nth % 9})`],
      email: [`${login}@x.org`],
      user_principal_name: [login],
      employee_number: [share(nth, 8) < 40 ? '0' : `${nth}`],
      departments: [share(nth, 4) < 60 ? 'Sales' : share(nth, 4) < 61 ? 'Board' : 'Ops'],
      'attributes.site': [share(nth, 5) < 50 ? 'K1' : share(nth, 5) < 52 ? 'K2' : 'K3'],
    },
    changedAt: {},
    createdAt: at,
    updatedAt: share(nth, 6) < 10 ? since : at,
    document: JSON.stringify(`${nth}`),
    lastJobId: newUuid(),
    lastSeq: 0,
    decided: false,
    statusSince: at,
    managerId: share(nth, 7) < 60 ? boss : otherBoss,
  };
  if (nth % 4 !== 0) return [user];
  const [connectorId, externalId] = [user.connectorId === hr ? crm : hr, `${nth}a`];
  const fields = { identifier: [login], display_name: [`${first} ${last}`], 'attributes.site': ['K2'] };
  const isOrphan = nth % 16 === 0;
  return [
    user,
    {
      ...user,
      ...{ id: newUuid(), kind: 'account', connectorId, externalId, fields, document: JSON.stringify(externalId) },
      ...{ managerId: undefined, status: 'active', identityId: isOrphan ? newUuid() : user.identityId },
    },
  ];
}

/** The items that fulfil the filters, by a statement that reads everything. */
async function expectedOf(resource: SearchedResource, query: Partial<SearchQuery>): Promise<string[]> {
  const values: unknown[] = [tenant];
  const value = (item: unknown) => `$${values.push(item)}`;
  const field = (name: string) => `(own.fields -> '${name}' ->> 0)`;
  const search: string[] = [];
  const shared: string[] = [];
  const own: string[] = [];
  if (query.text !== undefined) {
    const words = query.text.split(' ').map((word) => value(`\\m${word}`));
    const names = [`concat_ws(' ', ${field('first_name')}, ${field('last_name')})`, field('display_name')];
    const named = names.map((name) => `(${words.map((word) => `${name} ~* ${word}`).join(' and ')})`);
    const fields = ['email', 'user_principal_name', 'identifier', 'employee_number'];
    const begin = value(query.text);
    search.push([...named, ...fields.map((name) => `starts_with(lower(${field(name)}), ${begin})`)].join(' or '));
  }
  for (const [name, given] of Object.entries(query.values ?? {})) {
    search.push(`lower(${field(name)}) = ${value(given)}`);
  }
  if (query.department !== undefined) shared.push(`lower(${field('departments')}) = ${value(query.department)}`);
  for (const [name, given] of Object.entries(query.attributes ?? {})) {
    shared.push(`lower(${field(`attributes.${name}`)}) = ${value(given)}`);
  }
  if (query.managerId !== undefined) shared.push(`own.manager_id = ${value(query.managerId)}`);
  if (query.sourceId !== undefined) shared.push(`own.connector_id = ${value(query.sourceId)}`);
  if (query.isMatched !== undefined) own.push(`own.identity_id is ${query.isMatched ? 'not ' : ''}null`);
  if (query.classification !== undefined) own.push(`${field('classification')} = ${value(query.classification)}`);
  const status = query.status === undefined ? `item.status <> 'deleted'` : `item.status = ${value(query.status)}`;
  const changed = query.updatedSince ? `item.updated_at >= ${value(query.updatedSince)}` : 'true';
  const items =
    resource === 'identity'
      ? [...search.map((each) => [each, 'true']), ...shared.map((each) => [each, `own.status <> 'deleted'`])].map(
          ([
            each,
            living,
          ]) => `exists (select from (select * from source_records where tenant_id = $1 and identity_id = item.id offset 0) as own
              where (${each}) and (${query.status === 'deleted' ? 'true' : living}))`,
        )
      : [
          `item.kind = '${resource}'`,
          ...[...search, ...shared, ...own].map((each) => `(${each.replaceAll('own.', 'item.')})`),
        ];
  const rows = await fixture.rows<{ document: string }>(
    `select item.document from ${resource === 'identity' ? 'identities' : 'source_records'} as item
      where item.tenant_id = $1 and ${[status, changed, ...items].join(' and ')}`,
    values,
  );
  return rows.map(({ document }) => JSON.parse(document) as string).sort();
}

/** Reads all pages; a page may be empty although more follow. */
async function walk(resource: SearchedResource, filters: Partial<SearchQuery>, limit: number) {
  const items: string[] = [];
  const totals: { total: number; isEstimate: boolean }[] = [];
  for (let after: SearchQuery['after']; ; ) {
    const query = { limit, offset: 0, ...filters, after };
    const page = isSearch(query)
      ? await searchDocuments(gateway, tenant, resource, query)
      : resource === 'identity' || resource === 'user'
        ? await filterDocuments(gateway, tenant, resource, query)
        : await listRecords(gateway, tenant, resource, query);
    items.push(...(JSON.parse(`[${page.items}]`) as string[]));
    totals.push({ total: page.total, isEstimate: page.isEstimate === true });
    if (!page.isCut && page.count < limit) return { items, totals };
    expect(page.last).not.toEqual(after);
    after = page.last;
  }
}

const texts = ['anna', 'bob', 'zoe', 'ann l1', 'l6 an', 'x1', 'anna.l1', undefined];
const people: Partial<SearchQuery>[] = Array.from({ length: 16 }, (_, nth) => {
  const text = texts[nth % texts.length];
  const one = <Item>(question: number, ...items: Item[]) => items[share(nth, question) % items.length];
  const department = one(11, 'sales', 'board', undefined);
  const site = one(12, 'k1', 'k2', undefined, undefined);
  return {
    text,
    department: text === undefined ? (department ?? 'sales') : department,
    attributes: site === undefined ? undefined : { site },
    managerId: one(13, boss, undefined, undefined),
    sourceId: one(14, hr, undefined, undefined),
    status: one(15, 'active', 'suspended', 'deleted', undefined, undefined, undefined),
    updatedSince: one(16, since, undefined, undefined, undefined),
  };
});
const cases: [SearchedResource, Partial<SearchQuery>][] = [
  ...[
    ...people,
    { values: { employee_number: '0' } },
    { text: 'anna' },
    { text: 'anna', department: 'board' },
    { text: 'bob', updatedSince: since },
  ].flatMap((query): [SearchedResource, Partial<SearchQuery>][] => [
    ['user', query],
    ['identity', query],
  ]),
  ['user', { department: 'sales', attributes: { site: 'k2' }, sourceId: crm, status: 'suspended' }],
  ['identity', { text: 'anna', values: { email: 'anna.l1.1@x.org' } }],
  ['account', { text: 'anna' }],
  ['account', { text: 'anna', sourceId: hr, isMatched: true }],
  ['machine_identity', { text: 'svc', classification: 'bot' }],
  ['machine_identity', { text: 'svc-1', status: 'orphaned' }],
  ['machine_identity', { classification: 'bot' }],
  ['machine_identity', { classification: 'bot', sourceId: hr, isMatched: false }],
];

it.each(cases)('pages of a list have exactly the items that fulfil all filters: %s %j', async (resource, query) => {
  const expected = await expectedOf(resource, query);
  const { items, totals } = await walk(resource, query, 120);
  expect({ count: items.length, items: [...items].sort() }).toEqual({ count: expected.length, items: expected });
  for (const { total, isEstimate } of totals) {
    expect({ total, isTrue: isEstimate ? total <= expected.length : total === expected.length }).toEqual({
      total,
      isTrue: true,
    });
  }
});

it('finds all people by a word with a typo that many have', async () => {
  for (const resource of ['user', 'identity'] as const) {
    const { items } = await walk(resource, { text: 'anma' }, 200);
    expect(items.sort()).toEqual(await expectedOf(resource, { text: 'anna' }));
  }
});
