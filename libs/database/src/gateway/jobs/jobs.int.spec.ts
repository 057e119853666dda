import { newUuid } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findJob, findJobErrors, listJobs } from './jobs.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
});

afterAll(async () => {
  await own?.close();
});

async function ended(tenant: string, connector: string, status: string, count: number): Promise<void> {
  await fixture.rows(
    `insert into sync_jobs (id, tenant_id, connector_id, status, mode, created_at, completed_at)
     select gen_random_uuid(), $1, $2, $3, 'changes', now(), now() from generate_series(1, $4::int)`,
    [tenant, connector, status, count],
  );
}

/** Creates a job with these columns, later than all before. */
async function job(tenant: string, connector: string, columns: Record<string, string | number>): Promise<string> {
  const id = newUuid();
  const names = Object.keys(columns);
  await fixture.rows(
    `insert into sync_jobs (id, tenant_id, connector_id${names.map((name) => `, ${name}`).join('')})
     values ($1, $2, $3${names.map((_, at) => `, $${at + 4}`).join('')})`,
    [id, tenant, connector, ...Object.values(columns)],
  );
  return id;
}

const found = (tenant: string, id: string) => own.database.transaction(tenant, (tx) => findJob(tx, id));

it('shows what a job waits for: the running job, else the released one, else the first in the queue', async () => {
  const tenant = await fixture.tenant();
  const [connector, other] = [await fixture.connector(tenant), await fixture.connector(tenant)];
  const create = (status: string, more: Record<string, string> = {}) => job(tenant, connector, { status, ...more });
  const waitsFor = async (id: string) => (await found(tenant, id))?.waitsFor ?? null;
  const released = { decision: '{"action":"released"}' };
  const ofRecord = { mode: 'record', external_id: 'r1' };
  await job(tenant, other, { status: 'running' });
  const queued = { keyed: 'true' };
  await create('queued', ofRecord);
  await create('running', ofRecord);
  await create('quarantined', { ...ofRecord, ...released });
  const [first, second] = [await create('queued', queued), await create('queued', queued)];
  const last = await create('queued', queued);
  const undecided = await create('quarantined');
  expect(await waitsFor(first)).toBeNull();
  expect(await waitsFor(second)).toEqual({ id: first, status: 'queued' });
  expect(await waitsFor(last)).toEqual({ id: first, status: 'queued' });
  const decided = await create('quarantined', released);
  expect(await waitsFor(first)).toEqual({ id: decided, status: 'quarantined' });
  expect(await waitsFor(decided)).toEqual({ id: first, status: 'queued' });
  const running = await create('running');
  expect(await waitsFor(first)).toEqual({ id: running, status: 'running' });
  expect(await waitsFor(decided)).toEqual({ id: running, status: 'running' });
  expect(await waitsFor(running)).toBeNull();
  expect(await waitsFor(undecided)).toBeNull();
});

it.each([
  ['has read nothing for minutes', {}, true],
  ['has just read a record', { last_record_at: minutesFromNow(-1) }, false],
  ['has read the whole source', { batches_total: 2 }, false],
  ['has batches that are not applied', { batches_written: 3 }, false],
  ['has lost its worker', { lease_until: minutesFromNow(-1) }, false],
  ['has ended', { status: 'failed' }, false],
])('shows whether a job waits for its source: one that %s', async (_, columns, stalled) => {
  const tenant = await fixture.tenant();
  const reading = {
    status: 'running',
    started_at: minutesFromNow(-20),
    last_record_at: minutesFromNow(-6),
    lease_until: minutesFromNow(1),
    batches_written: 2,
    batches_processed: 2,
  };
  const id = await job(tenant, await fixture.connector(tenant), { ...reading, ...columns });
  expect(await found(tenant, id)).toMatchObject({ id, stalled });
});

it('shows the stored record of a job that reads one record', async () => {
  const tenant = await fixture.tenant();
  const [connector, other] = [await fixture.connector(tenant), await fixture.connector(tenant)];
  const records = [
    [connector, 'r0'],
    [connector, 'r1'],
    [other, 'r1'],
  ].map(([of, externalId]) => ({ id: newUuid(), of, externalId }));
  for (const { id, of, externalId } of records) {
    await fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
                                   created_at, updated_at, status_since, document, last_job_id, last_seq)
       values ($1, $2, 'user', $3, $4, 'active', '', '{}', '{}', now(), now(), now(), '{}', gen_random_uuid(), 0)`,
      [id, tenant, of, externalId],
    );
  }
  const read = (externalId: string) =>
    job(tenant, connector, { status: 'completed', mode: 'record', external_id: externalId });
  const record = { id: records[1]?.id, kind: 'user', identityId: null };
  expect(await found(tenant, await read('r1'))).toMatchObject({ record });
  expect(await found(tenant, await read('r2'))).toMatchObject({ record: null });
  expect(await found(tenant, await job(tenant, connector, { status: 'completed' }))).toMatchObject({ record: null });
});

it('lists the first hundred errors of a job', async () => {
  const tenant = await fixture.tenant();
  const connector = await fixture.connector(tenant);
  const [id, other] = [await fixture.job(tenant, connector), await fixture.job(tenant, connector)];
  for (const [of, count] of [
    [other, 1],
    [id, 101],
  ] as const) {
    await fixture.rows(
      `insert into sync_record_errors (tenant_id, job_id, id, message)
       select $1, $2, id, n::text from unnest($3::uuid[]) with ordinality as each (id, n)`,
      [tenant, of, Array.from({ length: count }, () => newUuid())],
    );
  }
  const errors = await own.database.transaction(tenant, (tx) => findJobErrors(tx, id));
  expect(errors.map(({ message }) => message)).toEqual(Array.from({ length: 100 }, (_, n) => String(n + 1)));
});

it('lists the jobs of a connector or with a status, the newest first, and counts up to 10000', async () => {
  const tenant = await fixture.tenant();
  const [busy, quiet] = [await fixture.connector(tenant), await fixture.connector(tenant)];
  await ended(tenant, busy, 'completed', 10_000);
  await ended(tenant, quiet, 'failed', 2);
  const list = (filter: { connectorId?: string; status?: string }) =>
    own.database.transaction(tenant, (tx) => listJobs(tx, { limit: 3, offset: 0, ...filter }));
  expect(await list({})).toMatchObject({ total: 10_000, total_is_estimate: true });
  expect(await list({ status: 'completed' })).toEqual({ rows: expect.any(Array), total: 10_000 });
  expect(await list({ connectorId: quiet })).toMatchObject({ total: 2 });
  expect(await list({ connectorId: busy, status: 'failed' })).toEqual({ rows: [], total: 0 });
  const { rows } = await list({ connectorId: busy });
  expect(rows.map(({ id }) => id)).toEqual(
    rows
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  expect(rows).toHaveLength(3);
});

function minutesFromNow(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}
