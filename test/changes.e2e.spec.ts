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

interface Place {
  tenant: string;
  connector: string;
}

async function place(): Promise<Place> {
  const tenant = await sync.rows.tenant();
  return { tenant, connector: await sync.rows.connector(tenant) };
}

const run = ({ tenant, connector }: Place, source: Connector, options?: RunOptions) =>
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

/** What the directory's tables say of a tenant, ids and the numbers of runs aside. */
async function picture({ tenant }: Place): Promise<unknown> {
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

const living = async ({ tenant }: Place) =>
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
  says: fc.array(fc.tuple(fc.constantFrom('1', '2', '3', '4', '5', '6'), fc.option(values, { nil: undefined })), {
    maxLength: 6,
  }),
  pageSize: fc.integer({ min: 1, max: 4 }),
  /** Before which of its pages a worker dies, again and again. */
  deaths: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }),
  order: fc.array(fc.nat({ max: 1_000 }), { minLength: 10, maxLength: 10 }),
  forgets: fc.nat({ max: 5 }).map((dice) => dice === 0),
});

class Killed extends Error {}

describe('a run of what has changed', () => {
  it('leaves the directory as a run of everything does, whoever dies in it and in whatever order it is applied', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (history) => {
        const source = new ChangingSource();
        // Somebody always stays: a source that is empty waits for an operator.
        source.say('0', { first_name: 'Zoe' });
        const [all, changed] = [await place(), await place()];
        for (const [number, { says, pageSize, deaths, order, forgets }] of history.entries()) {
          for (const [who, what] of says) source.say(who, what);
          if (forgets) source.forget();
          const at = new Date(Date.UTC(2026, 0, number + 1));
          let [dying, turn] = [[...deaths], 0];
          const mortal = source.connector((page) => {
            if (dying[0] !== page) return;
            dying = dying.slice(1);
            throw new Killed();
          });
          const choose = () => order[turn++ % order.length] ?? 0;
          await run(all, source.connector(), { mode: 'full', at });
          const job = await jobOf(await run(changed, mortal, { pageSize, at, choose }));
          expect(job).toMatchObject({ status: 'completed', mode: number === 0 || forgets ? 'full' : 'changes' });
          expect(await picture(changed)).toEqual(await picture(all));
        }
      }),
      { numRuns: Number(process.env.IDSYNC_PROPERTY_RUNS ?? 15) },
    );
  }, 600_000);

  it('believes what its source says last of a record, though the batches came the other way round', async () => {
    const here = await place();
    const pages = (...said: string[]): Connector => ({
      tellsChanges: true,
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
    await run(here, pages('ann', 'bob'), { choose });
    const job = await run(here, pages('ann gone', 'cy', 'ann', 'cy gone', 'bob gone', 'nobody gone'), { choose });
    expect(await living(here)).toEqual(['ann']);
    expect(await jobOf(job)).toMatchObject({
      status: 'completed',
      mode: 'changes',
      records_read: 6,
      records_failed: 0,
    });
  });

  it('deletes who is said to be gone, with the events of a sweep, and nobody else', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2', '3']) source.say(who, { first_name: 'Ann' });
    const here = await place();
    await run(here, source.connector());
    source.say('2', undefined);
    const job = await run(here, source.connector());
    expect(await living(here)).toEqual(['1', '3']);
    expect(await jobOf(job)).toMatchObject({ records_read: 1, records_deleted: 1 });
    const events = await sync.rows.rows<{ type: string }>(
      'select type from events where job_id = $1 order by sequence',
      [job],
    );
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['user.deleted', 'identity.deleted']));
  });

  it('holds back for an operator what is more than its safeguard lets through', async () => {
    const source = new ChangingSource();
    const crowd = Array.from({ length: 40 }, (_, at) => String(100 + at));
    for (const who of crowd) source.say(who, { first_name: 'Ann' });
    const here = await place();
    await run(here, source.connector());
    for (const who of crowd.slice(0, 30)) source.say(who, undefined);
    const job = await run(here, source.connector());
    expect(await jobOf(job)).toMatchObject({ status: 'quarantined', mode: 'changes' });
    expect(await living(here)).toHaveLength(40);
    await sync.release(here.tenant, job);
    expect(await jobOf(job)).toMatchObject({ status: 'completed', records_deleted: 30 });
    expect(await living(here)).toEqual(crowd.slice(30));
  });

  it('plans removals in a dry run, takes nobody away, and leaves the checkpoint where it was', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2']) source.say(who, { first_name: 'Ann' });
    const here = await place();
    await run(here, source.connector());
    source.say('1', undefined);
    const rehearsal = await run(here, source.connector(), { dryRun: true });
    expect(await jobOf(rehearsal)).toMatchObject({ status: 'completed', mode: 'changes' });
    expect(
      await sync.rows.rows('select action, external_id from sync_plan_entries where job_id = $1', [rehearsal]),
    ).toEqual([{ action: 'delete', external_id: '1' }]);
    expect(await living(here)).toEqual(['1', '2']);
    await run(here, source.connector());
    expect(await living(here)).toEqual(['2']);
  });

  it('reads everything once the source has forgotten, the config was changed, or it is asked to', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2']) source.say(who, { first_name: 'Ann' });
    const here = await place();
    const next = async (mode: 'auto' | 'full' | 'changes' = 'auto') => {
      const { mode: how, why_full } = await jobOf(await run(here, source.connector(), { mode }));
      return [how, why_full];
    };
    const none = 'everything was read: no run has left a checkpoint since the config was changed';
    expect(await next('changes')).toEqual(['full', none]);
    expect(await next()).toEqual(['changes', null]);
    expect(await next('full')).toEqual(['full', null]);
    source.say('1', undefined);
    source.forget();
    expect(await next()).toEqual(['full', 'everything was read: the source has forgotten']);
    expect(await living(here)).toEqual(['2']);
    await sync.rows.rows('update connectors set config_version = config_version + 1 where id = $1', [here.connector]);
    expect(await next()).toEqual(['full', null]);
    expect(await next()).toEqual(['changes', null]);
    await sync.rows.rows('update connector_states set runs_since_full = 99 where connector_id = $1', [here.connector]);
    expect(await next()).toEqual(['full', null]);
    expect(await next()).toEqual(['changes', null]);
  });

  it('forgets whom it was told to be gone when its source forgets the checkpoint in the middle, and has them back', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2', '3']) source.say(who, { first_name: 'Ann' });
    const here = await place();
    await run(here, source.connector());
    for (const who of ['1', '2', '3']) source.say(who, undefined);
    for (const who of ['1', '2']) source.say(who, { first_name: 'Ann' });
    const once: Connector = {
      tellsChanges: true,
      async *read(options) {
        if (!options.since) return yield* source.connector().read(options);
        yield { records: [], removed: ['1'], errors: [], cursor: { next: 1 }, last: false };
        throw new CheckpointExpired('the source has forgotten');
      },
    };
    const job = await jobOf(await run(here, once, { pageSize: 1 }));
    expect(job).toMatchObject({ status: 'completed', mode: 'full', records_read: 3, records_deleted: 1 });
    expect(await living(here)).toEqual(['1', '2']);
  });

  it('reads the same changes again after a run that failed', async () => {
    const source = new ChangingSource();
    for (const who of ['1', '2', '3']) source.say(who, { first_name: 'Ann' });
    const here = await place();
    await run(here, source.connector());
    for (const who of ['1', '2', '3']) source.say(who, undefined);
    const broken = source.connector((page) => {
      if (page === 1) throw new SourceError('the line went dead');
    });
    expect(await jobOf(await run(here, broken, { pageSize: 1 }))).toMatchObject({ status: 'failed', mode: 'changes' });
    expect(await living(here)).toEqual(['1', '2', '3']);
    source.say('3', { first_name: 'Ann' });
    expect(await jobOf(await run(here, source.connector()))).toMatchObject({ status: 'completed', records_deleted: 2 });
    expect(await living(here)).toEqual(['3']);
  });
});
