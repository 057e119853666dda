import { CheckpointExpired, type Connector, SourceError } from '@idsync/connectors';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { directoryFaults } from '../apps/directory/test/directory-faults.js';
import { ChangingSource } from './support/changing-source.js';
import { type RunOptions, WholeSync } from './support/whole-sync.js';

let sync: WholeSync;

beforeAll(async () => {
  sync = await WholeSync.start();
});

afterAll(async () => {
  await sync?.close();
});

interface Target {
  tenant: string;
  connector: string;
}

async function newConnector(): Promise<Target> {
  const tenant = await sync.rows.tenant();
  return { tenant, connector: await sync.rows.connector(tenant) };
}

const run = ({ tenant, connector }: Target, source: Connector, options?: RunOptions) =>
  sync.run(tenant, connector, source, options);

interface Job {
  status: string;
  mode: string;
  note: string | null;
  why_full: string | null;
  records_read: number;
  records_failed: number;
  records_deleted: number;
}

async function jobOf(id: string): Promise<Job> {
  const [job] = await sync.rows.rows<Job>(
    `select status, mode, note, why_full, records_read::int, records_failed::int, records_deleted::int from sync_jobs where id = $1`,
    [id],
  );
  if (!job) throw new Error('no job');
  return job;
}

/** Returns a tenant's directory without ids and the numbers of runs. */
async function picture({ tenant }: Target): Promise<unknown> {
  expect(await directoryFaults(sync.rows, tenant)).toEqual([]);
  const records = await sync.rows.rows(
    `select external_id, status, fields, encode(content_hash, 'hex') as hash, status_since,
            (select array_agg(o.external_id order by o.external_id) from source_records o where o.identity_id = r.identity_id) as person,
            (select i.status from identities i where i.id = r.identity_id) as person_status
       from source_records r where tenant_id = $1 order by 1`,
    [tenant],
  );
  const identities = await sync.rows.rows<{ document: string }>(
    'select document from identities where tenant_id = $1',
    [tenant],
  );
  const attributes = identities.map(({ document }) =>
    (JSON.parse(document) as { attributes: { field_name: string; field_value: string }[] }).attributes
      .map(({ field_name, field_value }) => `${field_name}=${field_value}`)
      .join(),
  );
  const counters = await sync.rows.rows(
    'select resource, status, count::int from directory_counters where tenant_id = $1 and count <> 0 order by 1, 2',
    [tenant],
  );
  return { records, attributes: attributes.sort(), counters };
}

const living = async ({ tenant }: Target) =>
  (
    await sync.rows.rows<{ external_id: string }>(
      `select external_id from source_records where tenant_id = $1 and status <> 'deleted' order by 1`,
      [tenant],
    )
  ).map(({ external_id }) => external_id);

const one = (values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const values = fc
  .record({ email: one(['a@x.org', 'b@x.org']), first_name: one(['Ann', 'Bob']), status: one(['suspended']) })
  .map((row) => Object.fromEntries(Object.entries(row).filter((entry): entry is [string, string] => !!entry[1])));
const step = fc.record({
  edits: fc.array(fc.tuple(fc.constantFrom('1', '2', '3', '4', '5', '6'), fc.option(values, { nil: undefined })), {
    maxLength: 6,
  }),
  pageSize: fc.integer({ min: 1, max: 4 }),
  /** Pages before which a worker is killed, in turn. */
  kills: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }),
  order: fc.array(fc.nat({ max: 1_000 }), { minLength: 10, maxLength: 10 }),
  expires: fc.nat({ max: 5 }).map((dice) => dice === 0),
});

class Killed extends Error {}

describe('an incremental run', () => {
  it('leaves the directory in the same state as a full run, with killed workers and reordered messages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (history) => {
        const source = new ChangingSource();
        // One record always stays, because a run of an empty source is quarantined.
        source.set('0', { first_name: 'Zoe' });
        const [all, changed] = [await newConnector(), await newConnector()];
        for (const [number, { edits, pageSize, kills, order, expires }] of history.entries()) {
          for (const [who, what] of edits) source.set(who, what);
          if (expires) source.expireCheckpoints();
          const at = new Date(Date.UTC(2026, 0, number + 1));
          let [remaining, turn] = [[...kills], 0];
          const killed = source.connector((page) => {
            if (remaining[0] !== page) return;
            remaining = remaining.slice(1);
            throw new Killed();
          });
          const choose = () => order[turn++ % order.length] ?? 0;
          await run(all, source.connector(), { mode: 'full', at });
          const job = await jobOf(await run(changed, killed, { pageSize, at, choose }));
          expect(job).toMatchObject({ status: 'completed', mode: number === 0 || expires ? 'full' : 'changes' });
          expect(await picture(changed)).toEqual(await picture(all));
        }
      }),
      { numRuns: Number(process.env.IDSYNC_PROPERTY_RUNS ?? 15) },
    );
  }, 600_000);

  it('applies the last entry of a record even if messages are reordered', async () => {
    const target = await newConnector();
    const pages = (...said: string[]): Connector => ({
      reportsChanges: true,
      async *read() {
        for (const [at, word] of said.entries()) {
          const [id = '', gone] = word.split(' ');
          const last = at === said.length - 1;
          yield {
            records: gone ? [] : [{ external_id: id, fields: { first_name: [id] } }],
            removed: gone ? [id] : [],
            errors: [],
            cursor: { at },
            last,
            ...(last && { checkpoint: { at } }),
          };
        }
      },
    });
    const choose = () => 999;
    await run(target, pages('ann', 'bob'), { choose });
    const job = await run(target, pages('ann gone', 'cy', 'ann', 'cy gone', 'bob gone', 'nobody gone'), { choose });
    expect(await living(target)).toEqual(['ann']);
    expect(await jobOf(job)).toMatchObject({
      status: 'completed',
      mode: 'changes',
      records_read: 6,
      records_failed: 0,
    });
  });

  it('deletes only the records that the source reports as deleted, with the events of a sweep', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2', '3']) source.set(who, { first_name: 'Ann' });
    const target = await newConnector();
    await run(target, source.connector());
    source.set('2', undefined);
    const job = await run(target, source.connector());
    expect(await living(target)).toEqual(['1', '3']);
    expect(await jobOf(job)).toMatchObject({ records_read: 1, records_deleted: 1 });
    const events = await sync.rows.rows<{ type: string }>(
      'select type from events where job_id = $1 order by sequence',
      [job],
    );
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['user.deleted', 'identity.deleted']));
  });

  it('is quarantined when its deletions exceed the safeguard', async () => {
    const source = new ChangingSource();
    const crowd = Array.from({ length: 40 }, (_, at) => String(100 + at));
    for (const who of crowd) source.set(who, { first_name: 'Ann' });
    const target = await newConnector();
    await run(target, source.connector());
    for (const who of crowd.slice(0, 30)) source.set(who, undefined);
    const job = await run(target, source.connector());
    expect(await jobOf(job)).toMatchObject({ status: 'quarantined', mode: 'changes' });
    expect(await living(target)).toHaveLength(40);
    await sync.release(target.tenant, job);
    expect(await jobOf(job)).toMatchObject({ status: 'completed', records_deleted: 30 });
    expect(await living(target)).toEqual(crowd.slice(30));
  });

  it('reads failing records again, within its safeguard', async () => {
    const crowd = Array.from({ length: 60 }, (_, at) => String(100 + at));
    const entry = (external_id: string, status: string) => ({
      external_id,
      fields: { email: [`${external_id}@x.org`], status: [status] },
    });
    const failing = crowd.slice(0, 25);
    const source = (named: string[], left: string[], now = 'active'): Connector => ({
      reportsChanges: true,
      async *read() {
        const records = named.map((id) => entry(id, 'active'));
        const errors = left.map((external_id) => ({ external_id, message: 'hire_date is not a date' }));
        yield { records, errors, cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
      },
      readOne: async (id) => (id === '100' ? 'absent' : { record: entry(id, now) }),
    });
    const target = await newConnector();
    await run(target, source(crowd, []));
    const left = await run(target, source(crowd.slice(25), failing));
    expect(await jobOf(left)).toMatchObject({ status: 'completed_with_errors', mode: 'changes', records_failed: 25 });
    const held = await run(target, source([], [], 'inactive'));
    expect(await jobOf(held)).toMatchObject({ status: 'quarantined', mode: 'changes', records_read: 25 });
    expect(await living(target)).toHaveLength(60);
    await sync.release(target.tenant, held);
    expect(await jobOf(held)).toMatchObject({ status: 'completed', records_deleted: 1 });
    expect(
      await sync.rows.rows(
        'select status, count(*)::int from source_records where tenant_id = $1 group by status order by 1',
        [target.tenant],
      ),
    ).toEqual([
      { status: 'active', count: 35 },
      { status: 'deleted', count: 1 },
      { status: 'inactive', count: 24 },
    ]);
    expect(await sync.rows.rows('select from failing_records where tenant_id = $1', [target.tenant])).toEqual([]);
  });

  it('plans deletions in a dry run, deletes nothing, and keeps the checkpoint', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2']) source.set(who, { first_name: 'Ann' });
    const target = await newConnector();
    await run(target, source.connector());
    source.set('1', undefined);
    const dryRun = await run(target, source.connector(), { dryRun: true });
    expect(await jobOf(dryRun)).toMatchObject({ status: 'completed', mode: 'changes' });
    expect(
      await sync.rows.rows('select action, external_id from sync_plan_entries where job_id = $1', [dryRun]),
    ).toEqual([{ action: 'delete', external_id: '1' }]);
    expect(await living(target)).toEqual(['1', '2']);
    await run(target, source.connector());
    expect(await living(target)).toEqual(['2']);
  });

  it('becomes a full run after an expired checkpoint, a changed configuration or a request', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2']) source.set(who, { first_name: 'Ann' });
    const target = await newConnector();
    const next = async (mode: 'auto' | 'full' | 'changes' = 'auto') => {
      const { mode: how, why_full } = await jobOf(await run(target, source.connector(), { mode }));
      return [how, why_full];
    };
    const none = 'everything was read: there is no checkpoint for the current configuration';
    expect(await next('changes')).toEqual(['full', none]);
    expect(await next()).toEqual(['changes', null]);
    expect(await next('full')).toEqual(['full', null]);
    source.set('1', undefined);
    source.expireCheckpoints();
    expect(await next()).toEqual(['full', 'everything was read: the checkpoint has expired']);
    expect(await living(target)).toEqual(['2']);
    await sync.rows.rows('update connectors set config_version = config_version + 1 where id = $1', [target.connector]);
    expect(await next()).toEqual(['full', null]);
    expect(await next()).toEqual(['changes', null]);
    await sync.rows.rows('update connector_states set runs_since_full = 99 where connector_id = $1', [
      target.connector,
    ]);
    expect(await next()).toEqual(['full', null]);
    expect(await next()).toEqual(['changes', null]);
  });

  it('drops the reported deletions when the checkpoint expires during the run', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2', '3']) source.set(who, { first_name: 'Ann' });
    const target = await newConnector();
    await run(target, source.connector());
    for (const who of ['1', '2', '3']) source.set(who, undefined);
    for (const who of ['1', '2']) source.set(who, { first_name: 'Ann' });
    const once: Connector = {
      reportsChanges: true,
      async *read(options) {
        if (!options.since) return yield* source.connector().read(options);
        yield { records: [], removed: ['1'], errors: [], cursor: { next: 1 }, last: false };
        throw new CheckpointExpired('the checkpoint has expired');
      },
    };
    const job = await jobOf(await run(target, once, { pageSize: 1 }));
    expect(job).toMatchObject({ status: 'completed', mode: 'full', records_read: 3, records_deleted: 1 });
    expect(await living(target)).toEqual(['1', '2']);
  });

  it('reads the same changes again after a failed run', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2', '3']) source.set(who, { first_name: 'Ann' });
    const target = await newConnector();
    await run(target, source.connector());
    for (const who of ['1', '2', '3']) source.set(who, undefined);
    const broken = source.connector((page) => {
      if (page === 1) throw new SourceError('the connection was closed');
    });
    expect(await jobOf(await run(target, broken, { pageSize: 1 }))).toMatchObject({
      status: 'failed',
      mode: 'changes',
    });
    expect(await living(target)).toEqual(['1', '2', '3']);
    source.set('3', { first_name: 'Ann' });
    expect(await jobOf(await run(target, source.connector()))).toMatchObject({
      status: 'completed',
      records_deleted: 2,
    });
    expect(await living(target)).toEqual(['3']);
  });
});
