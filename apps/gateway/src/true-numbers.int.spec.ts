import { encodeId, newUuid } from '@idsync/contracts';
import { maxCounted } from '@idsync/database/gateway';
import type { DirectoryFixture } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../test/operated-gateway.js';

let gateway: OperatedGateway;
let fixture: DirectoryFixture;
let tenant: string;
let connector: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  fixture = gateway.fixture;
});

afterAll(() => gateway?.close());

beforeEach(async () => {
  tenant = await fixture.tenant();
  connector = await fixture.connector(tenant);
});

const get = async (path: string) => {
  const { status, body } = await gateway.operator('GET', `/tenants/${encodeId('tenant', tenant)}${path}`);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** Counts rows of the tenant without the code under test. */
async function stored(table: string, where = 'true'): Promise<number> {
  const [row] = await fixture.rows<{ count: number }>(
    `select count(*)::int as count from ${table} where tenant_id = $1 and ${where}`,
    [tenant],
  );
  return row?.count ?? Number.NaN;
}

/** A count of the database, as the API returns it. */
const counted = (count: number) => ({ count: Math.min(count, maxCounted), exact: count <= maxCounted });
const total = (count: number) => ({
  total: Math.min(count, maxCounted),
  total_is_estimate: count > maxCounted ? true : undefined,
});
const totalOf = (body: { total: number; total_is_estimate?: true }) => ({
  total: body.total,
  total_is_estimate: body.total_is_estimate,
});

/** Inserts as many rows as `count`, with their number `n`; `$1` is the tenant, `$2` the connector. */
const add = (table: string, columns: string, values: string, count: number) =>
  fixture.rows(
    `insert into ${table} (tenant_id, ${columns}) select $1, ${values}
       from generate_series(1, $3::integer) n where $2::uuid is not null`,
    [tenant, connector, count],
  );

async function webhook(): Promise<string> {
  const id = newUuid();
  await fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
    [id, tenant],
  );
  return id;
}

describe.each([3, maxCounted, maxCounted + 1])('if there are %i,', (count) => {
  it('the open findings of each kind are counted exactly up to 10000', async () => {
    const finding = (kind: string, state: string, number: number) =>
      add(
        'findings',
        'id, kind, state, subject_id, evidence, opened_at',
        `gen_random_uuid(), '${kind}', '${state}', gen_random_uuid(), '{}', now()`,
        number,
      );
    await finding('leaver_with_account', 'open', 1);
    await finding('unknown_manager', 'open', count);
    await finding('unknown_manager', 'accepted', 2);
    await finding('manager_cycle', 'resolved', 2);
    const { data } = await get('/findings/counts');
    const open = (kind: string) => stored('findings', `kind = '${kind}' and state = 'open'`);
    expect(data).toEqual([
      { kind: 'leaver_with_account', ...counted(await open('leaver_with_account')) },
      { kind: 'unknown_manager', ...counted(await open('unknown_manager')) },
    ]);
  });

  it('the cases with a status are counted exactly up to 10000', async () => {
    const reviewCase = (status: string, number: number) =>
      add(
        'review_cases',
        'id, record_id, status, kind, reason, candidates, opened_at',
        `gen_random_uuid(), gen_random_uuid(), '${status}', 'weak', 'x', '[]', now()`,
        number,
      );
    await reviewCase('open', count);
    await reviewCase('ignored', 2);
    for (const status of ['open', 'ignored'])
      expect(totalOf(await get(`/cases?status=${status}`))).toEqual(
        total(await stored('review_cases', `status = '${status}'`)),
      );
  });

  it('the runs with a status are counted exactly up to 10000', async () => {
    const runs = (status: string, number: number) =>
      add('sync_jobs', 'id, connector_id, status', `gen_random_uuid(), $2, '${status}'`, number);
    await runs('failed', count);
    await runs('quarantined', 2);
    expect(totalOf(await get('/sync-jobs?limit=1'))).toEqual(total(await stored('sync_jobs')));
    for (const status of ['failed', 'quarantined'])
      expect(totalOf(await get(`/sync-jobs?limit=1&status=${status}`))).toEqual(
        total(await stored('sync_jobs', `status = '${status}'`)),
      );
  });

  it('the pending and dead deliveries of a webhook are counted exactly up to 10000', async () => {
    const [busy, quiet] = [await webhook(), await webhook()];
    for (const status of ['dead', 'pending'])
      await add(
        'webhook_deliveries',
        'id, webhook_id, event_sequence, event_type, status, is_retry',
        `gen_random_uuid(), '${busy}', ${status === 'dead' ? 'n' : '- n'}, 'user.created', '${status}', n % 2 = 0`,
        count,
      );
    const of = (id: string, status: string) =>
      stored('webhook_deliveries', `webhook_id = '${id}' and status = '${status}'`);
    const { data } = await get('/webhooks');
    for (const id of [busy, quiet]) {
      const counts = { pending: counted(await of(id, 'pending')), dead: counted(await of(id, 'dead')) };
      expect(data).toContainEqual(expect.objectContaining({ id: encodeId('webhook', id), ...counts }));
      expect(await get(`/webhooks/${encodeId('webhook', id)}`)).toMatchObject(counts);
    }
  });
});

it('the number of sources is that of the database, beyond a page', async () => {
  for (let more = 0; more < 3; more += 1) await fixture.connector(tenant);
  expect(await get('/connectors?limit=2')).toMatchObject({ total: await stored('connectors') });
});

it('the counts of a run are those that it has stored', async () => {
  const counts = { records_read: 206_000, records_applied: 2_000_000, records_failed: 31_000, records_deleted: 7 };
  const names = Object.keys(counts);
  const id = newUuid();
  await fixture.rows(
    `insert into sync_jobs (tenant_id, connector_id, id, status, ${names}) values ($1, $2, $3, 'completed', ${Object.values(counts)})`,
    [tenant, connector, id],
  );
  expect((await get('/sync-jobs')).data).toEqual([expect.objectContaining(counts)]);
  expect(await get(`/sync-jobs/${encodeId('job', id)}`)).toMatchObject(counts);
});

it('the events and attempts of the last hours are all that the database has', async () => {
  const hook = await webhook();
  await add(
    'events',
    'id, sequence, type, occurred_at, details',
    `gen_random_uuid(), n, 'user.created', now() - (50001 - n) * interval '2 seconds', '{}'`,
    50_000,
  );
  await add(
    'webhook_hours',
    'hour, webhook_id, outcome, attempts',
    `date_trunc('hour', now()) - (n / 2) * interval '1 hour', '${hook}', case n % 2 when 0 then 'delivered' else 'rejected' end, 100000 + n`,
    60,
  );
  const within = `>= date_trunc('hour', now()) - interval '23 hours'`;
  const sum = async (outcome: string) => {
    const [row] = await fixture.rows<{ sum: number }>(
      `select sum(attempts)::int as sum from webhook_hours where tenant_id = $1 and hour ${within} and outcome = $2`,
      [tenant, outcome],
    );
    return row?.sum;
  };
  const [delivered = 0, failed = 0] = [await sum('delivered'), await sum('rejected')];
  const totals = (hours: Record<string, number>[]) => (name: string) =>
    hours.reduce((all, hour) => all + (hour[name] ?? 0), 0);
  const activity = await get('/activity');
  const ofTenant = totals(activity.hours);
  expect(['events', 'delivered', 'failed'].map(ofTenant)).toEqual([
    await stored('events', `occurred_at ${within}`),
    delivered,
    failed,
  ]);
  const { statistics } = await get(`/webhooks/${encodeId('webhook', hook)}`);
  const ofWebhook = totals(statistics.hours);
  expect(['delivered', 'failed'].map(ofWebhook)).toEqual([delivered, failed]);
  expect(statistics).toMatchObject({ attempts: delivered + failed, outcomes: { delivered, rejected: failed } });
});
