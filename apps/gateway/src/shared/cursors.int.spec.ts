import { encodeId, type IdKind, newUuid } from '@idsync/contracts';
import type { DirectoryFixture } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken } from '../../test/gateway-config.js';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let fixture: DirectoryFixture;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  fixture = gateway.fixture;
});

afterAll(() => gateway?.close());

/** The ids to which the rows of a list refer. */
interface Tenant {
  id: string;
  key: string;
  identityId: string;
  connectorId: string;
  webhookIds: string[];
}

/** A row of a list. Rows with the same place have the same creation time or sequence, and follow each other by `nth`. */
interface Item {
  id: string;
  place: number;
  nth: number;
}

interface CursorList {
  name: string;
  kind: IdKind;
  path: (tenant: Tenant) => string;
  insert: (tenant: Tenant, item: Item) => Promise<unknown>;
  remove: (item: Item) => Promise<unknown>;
  /** Changes what the list filters by, but not the place of the row. */
  update?: (item: Item) => Promise<unknown>;
  /** Places are unique in lists that are sorted by a sequence number or by an id. */
  isUnique?: true;
}

const createdAt = ({ place }: Item) => new Date(Date.parse('2026-01-01T00:00:00Z') + place);
const document = (kind: IdKind, { id }: Item) => JSON.stringify({ id: encodeId(kind, id) });

const identities: CursorList = {
  name: 'GET /v1/identities',
  kind: 'identity',
  path: () => '/v1/identities',
  insert: (tenant, item) =>
    fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       values ($1, $2, 'active', $3, '2026-02-01', $4)`,
      [tenant.id, item.id, createdAt(item), document('identity', item)],
    ),
  remove: ({ id }) => fixture.rows('delete from identities where id = $1', [id]),
  update: ({ id }) => fixture.rows(`update identities set updated_at = '2026-03-01' where id = $1`, [id]),
};

const users: CursorList = {
  name: 'GET /v1/users',
  kind: 'user',
  path: () => '/v1/users',
  insert: (tenant, item) =>
    fixture.rows(
      `insert into source_records (tenant_id, id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
                                   created_at, updated_at, document, last_job_id, last_seq, status_since)
       values ($1, $2, 'user', $3, $4, 'active', '', '{}', '{}', $5, '2026-02-01', $6, $3, 1, $5)`,
      [tenant.id, item.id, tenant.connectorId, item.id, createdAt(item), document('user', item)],
    ),
  remove: ({ id }) => fixture.rows('delete from source_records where id = $1', [id]),
  update: ({ id }) => fixture.rows(`update source_records set updated_at = '2026-03-01' where id = $1`, [id]),
};

const history: CursorList = {
  name: 'GET /v1/identities/{id}/history',
  kind: 'event',
  path: ({ identityId }) => `/v1/identities/${encodeId('identity', identityId)}/history`,
  insert: (tenant, { id, place }) =>
    fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, details)
       values ($1, $2, $3, 'identity.updated', now(), $4, '{}')`,
      [tenant.id, place, id, tenant.identityId],
    ),
  remove: ({ id }) => fixture.rows('delete from events where id = $1', [id]),
  isUnique: true,
};

/** The newest first; deliveries of one event are sorted by webhook, the last one first. */
const deliveries: CursorList = {
  name: 'GET /admin/v1/tenants/{id}/deliveries',
  kind: 'delivery',
  path: ({ id }) => `/admin/v1/tenants/${encodeId('tenant', id)}/deliveries`,
  insert: (tenant, { id, place, nth }) =>
    fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status)
       values ($1, $2, $3, $4, 'user.created', 'pending')`,
      [id, tenant.id, tenant.webhookIds[nth], 100 - place],
    ),
  remove: ({ id }) => fixture.rows('delete from webhook_deliveries where id = $1', [id]),
  update: ({ id }) => fixture.rows(`update webhook_deliveries set status = 'delivered' where id = $1`, [id]),
};

const replays: CursorList = {
  name: 'GET /admin/v1/tenants/{id}/replays',
  kind: 'replay',
  path: ({ id }) => `/admin/v1/tenants/${encodeId('tenant', id)}/replays`,
  insert: (tenant, { id }) =>
    fixture.rows(
      `insert into webhook_replays (id, tenant_id, webhook_id, kind, filter, requested_by)
       values ($1, $2, $3, 'replay', '{}', 'operator')`,
      [id, tenant.id, tenant.webhookIds[0]],
    ),
  remove: ({ id }) => fixture.rows('delete from webhook_replays where id = $1', [id]),
  update: ({ id }) => fixture.rows(`update webhook_replays set status = 'done' where id = $1`, [id]),
  isUnique: true,
};

const findings: CursorList = {
  name: 'GET /admin/v1/tenants/{id}/findings',
  kind: 'finding',
  path: ({ id }) => `/admin/v1/tenants/${encodeId('tenant', id)}/findings`,
  insert: (tenant, { id, place }) =>
    fixture.rows(
      `insert into findings (id, tenant_id, kind, subject_id, evidence, opened_at) values ($1, $2, $3, $1, '{}', now())`,
      [id, tenant.id, place % 2 === 0 ? 'stale_source' : 'unknown_manager'],
    ),
  remove: ({ id }) => fixture.rows('delete from findings where id = $1', [id]),
  update: ({ id }) => fixture.rows(`update findings set state = 'resolved' where id = $1`, [id]),
  isUnique: true,
};

const lists: CursorList[] = [
  identities,
  users,
  ...[identities, users].map((list) => ({
    ...list,
    name: `${list.name}?updated_since`,
    path: (tenant: Tenant) => `${list.path(tenant)}?updated_since=2026-01-15T00:00:00Z`,
  })),
  history,
  deliveries,
  {
    ...deliveries,
    name: `${deliveries.name}?event_type`,
    path: (tenant) => `${deliveries.path(tenant)}?event_type=user.created`,
  },
  replays,
  findings,
];

async function newTenant(): Promise<Tenant> {
  const id = await fixture.tenant();
  const identityId = newUuid();
  await fixture.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     values ($1, $2, 'deleted', now(), now(), '{}')`,
    [id, identityId],
  );
  const webhookIds = Array.from({ length: 4 }, newUuid).sort().reverse();
  for (const webhookId of webhookIds) {
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
      [webhookId, id],
    );
  }
  const { body } = await gateway.operator('POST', `/tenants/${encodeId('tenant', id)}/api-keys`, { name: 'test' });
  return { id, key: body.key, identityId, connectorId: await fixture.connector(id), webhookIds };
}

/** The place, then `nth`, decide the order of the ids; the newest item of a list by age, the first one, has the highest. */
function itemAt(list: CursorList, place: number, nth = 0): Item {
  const rank = list === replays || list === findings ? 99 - place : place;
  const id = `00000000-0000-7${String(rank).padStart(3, '0')}-8${nth}00-${newUuid().slice(24)}`;
  return { id, place, nth };
}

async function readPage({ path }: CursorList, tenant: Tenant, cursor: string) {
  const url = new URL(`${gateway.url}${path(tenant)}`);
  url.searchParams.set('limit', '3');
  // The public lists have offsets unless a cursor is given; an empty one requests the first page.
  if (cursor !== '' || isPublic(url)) url.searchParams.set('cursor', cursor);
  const answer = await fetch(url, {
    headers: isPublic(url) ? { 'x-api-key': tenant.key } : { authorization: `Bearer ${adminToken}` },
  });
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as { data: { id?: string; replay_id?: string }[]; next_cursor?: string };
  return { ids: body.data.map(({ id, replay_id }) => id ?? replay_id), next: body.next_cursor };
}

const isPublic = (url: URL) => url.pathname.startsWith('/v1');

describe.each(lists)('$name by cursor', (list) => {
  const encoded = (items: readonly Item[]) => items.map(({ id }) => encodeId(list.kind, id));
  const places = list.isUnique
    ? [10, 11, 12, 13, 14, 15, 16, 17, 18].map((place) => [place, 0] as const)
    : ([
        [10, 0],
        [10, 1],
        [10, 2],
        [10, 3],
        [11, 0],
        [11, 1],
        [11, 2],
        [11, 3],
        [12, 0],
      ] as const);

  async function start() {
    const tenant = await newTenant();
    const items = places.map(([place, nth]) => itemAt(list, place, nth));
    // Not in list order, so that the order of insertion decides nothing.
    for (const item of [...items.slice(4), ...items.slice(0, 4)]) await list.insert(tenant, item);
    return { tenant, items };
  }

  /** Reads all pages and calls `between` after each of them. */
  async function walk(tenant: Tenant, between: (page: number) => Promise<unknown> = async () => undefined) {
    const read: (string | undefined)[] = [];
    let pages = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await readPage(list, tenant, cursor);
      read.push(...page.ids);
      pages += 1;
      await between(pages);
      cursor = page.next;
    }
    return read;
  }

  it('lists every row once, also between rows of the same moment', async () => {
    const { tenant, items } = await start();
    expect(await walk(tenant)).toEqual(encoded(items));
  });

  it('neither repeats nor skips a row if others are inserted and deleted between pages', async () => {
    const { tenant, items } = await start();
    const earlier = itemAt(list, 1);
    const later = itemAt(list, 20);
    const read = await walk(tenant, async (page) => {
      if (page !== 1) return;
      // The cursor names the third row, which no longer exists when the next page is read.
      for (const at of [0, 2, 5]) await list.remove(items[at] ?? earlier);
      await list.insert(tenant, earlier);
      await list.insert(tenant, later);
    });
    expect(read).toEqual(encoded([...items.filter((_, at) => at !== 5), later]));
  });

  const { update } = list;
  if (!update) return; // Events never change.

  it('neither repeats nor skips a row that changes between pages', async () => {
    const { tenant, items } = await start();
    const read = await walk(tenant, async (page) => {
      for (const item of page === 1 ? items : []) await update(item);
    });
    expect(read).toEqual(encoded(items));
  });
});
