import type { SourceRecord } from '@idsync/contracts';
import { lockReferences } from '@idsync/database/directory';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';
import { applyBatch } from './apply-batch.js';

let harness: Harness;
let hr: string;

beforeAll(async () => {
  harness = await Harness.create();
});

beforeEach(async () => {
  await harness.newTenant();
  hr = await harness.fixture.connector(harness.tenant);
});

afterAll(() => harness?.close());

const limit = (people: number) =>
  harness.fixture.rows(
    `insert into tenant_quotas (tenant_id, quotas, updated_at) values ($1, jsonb_build_object('people', $2::int), now())
     on conflict (tenant_id) do update set quotas = excluded.quotas`,
    [harness.tenant, people],
  );
const name = (n: number) => String.fromCharCode(97 + n);
const people = (from: number, to: number, values: Record<string, string> = {}): SourceRecord[] =>
  Array.from({ length: to - from }, (_, at) =>
    row(`p${from + at}`, { first_name: `Ann${name(from + at)}`, last_name: `Lee${name(from + at)}`, ...values }),
  );

async function run(records: SourceRecord[], options: RunOptions = {}): Promise<string> {
  const job = await wholeRun(harness, hr, [records], options);
  await endJob(harness, job, 'completed');
  return job;
}

/** Marks the source as completely read, so that new users wait for the sweep. */
const imported = () =>
  harness.fixture.rows(
    'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
    [hr, harness.tenant],
  );

async function live(): Promise<string[]> {
  const rows = await harness.fixture.rows<{ id: string }>(
    `select external_id as id from source_records where tenant_id = $1 and status <> 'deleted' order by 1`,
    [harness.tenant],
  );
  return rows.map(({ id }) => id);
}

/** Records that a job reports as left out. */
async function leftOut(job: string): Promise<string[]> {
  const rows = await harness.fixture.rows<{ id: string }>(
    `select e ->> 'external_id' as id from outbox, jsonb_array_elements(message::jsonb #> '{data,errors}') as e
      where type in ('sync.batch.applied', 'sync.sweep.ended') and message::jsonb #>> '{data,job_id}' = $1
        and e ->> 'message' like 'a new user beyond the quota of % people of the tenant' order by 1`,
    [job],
  );
  return rows.map(({ id }) => id);
}

describe('a run of a tenant with a quota of people', () => {
  it('leaves out new users beyond it in a first import, and reports them', async () => {
    await limit(3);
    const job = await run(people(0, 5));
    expect(await live()).toEqual(['p0', 'p1', 'p2']);
    expect(await leftOut(job)).toEqual(['p3', 'p4']);
  });

  it('applies changes and deletions, and leaves out only new users', async () => {
    await limit(6);
    await run(people(0, 6));
    await imported();
    const listed = [...people(1, 6, { job_title: 'Chief', email: 'x@example.org' }), ...people(6, 8)];
    const job = await run(listed);
    const stored = await live();
    expect(stored).toHaveLength(6);
    expect(stored).toEqual(expect.arrayContaining(['p1', 'p2', 'p3', 'p4', 'p5']));
    expect((await harness.record('p5')).fields).toMatchObject({ job_title: ['Chief'] });
    expect((await harness.record('p0')).status).toBe('deleted');
    expect(await leftOut(job)).toHaveLength(1);
    expect((await answers(harness, job)).map(({ type }) => type)).toEqual(['sync.sweep.ended']);
  });

  it('adds them in the next run after the quota was raised', async () => {
    await limit(2);
    await run(people(0, 4));
    await imported();
    await run(people(0, 4));
    expect(await live()).toHaveLength(2);
    await limit(4);
    const job = await run(people(0, 4));
    expect(await live()).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(await leftOut(job)).toEqual([]);
  });

  it('does not exceed it with concurrent batches', async () => {
    await limit(10);
    const job = await harness.fixture.job(harness.tenant, hr, 'running');
    const batches = [people(0, 8), people(8, 16), people(16, 24)];
    const messages = await Promise.all(
      batches.map((records, seq) => harness.fixture.batch(harness.tenant, hr, job, seq, records)),
    );
    await Promise.all(messages.map((message) => applyBatch(harness.database, message)));
    expect(await live()).toHaveLength(10);
    expect(await leftOut(job)).toHaveLength(14);
  });

  it('lets a sweep that deletes wait for concurrent changes of people, which it does not without a quota', async () => {
    await run(people(0, 5));
    for (const [quota, present] of [
      [undefined, 4],
      [10, 3],
    ] as const) {
      if (quota !== undefined) await limit(quota);
      const job = await appliedRun(harness, hr, [people(0, present)]);
      let swept: Promise<void> | undefined;
      await harness.database.transaction(harness.tenant, async (tx) => {
        await lockReferences(tx, harness.tenant, 'shared');
        swept = sweep(harness, job);
        await (quota === undefined ? swept : harness.fixture.waitForBlockedLock());
      });
      await swept;
      await endJob(harness, job);
    }
    expect(await live()).toEqual(['p0', 'p1', 'p2']);
  });

  it('counts a deleted user who is listed again as a new one', async () => {
    await limit(2);
    await run(people(0, 2));
    await harness.fixture.rows(`update connector_states set complete_as_of = null where connector_id = $1`, [hr]);
    await run(people(1, 2));
    await run(people(1, 3));
    expect(await live()).toEqual(['p1', 'p2']);
    const job = await run(people(0, 3));
    expect(await live()).toEqual(['p1', 'p2']);
    expect(await leftOut(job)).toEqual(['p0']);
  });
});

describe('the plan of a dry run', () => {
  it('is refused as a whole if it would exceed the quota', async () => {
    await limit(3);
    await run(people(0, 2));
    await imported();
    const job = await run(people(0, 5), { dryRun: true });
    const { status, result } = await harness.operate('plan.apply', { job_id: job, reason: 'reviewed' });
    expect([status, result]).toEqual([
      'refused',
      { error: 'the plan creates 3 users beside 2, and the quota of the tenant is 3 people' },
    ]);
    await limit(5);
    expect((await harness.operate('plan.apply', { job_id: job, reason: 'reviewed' })).status).toBe('done');
    expect(await live()).toHaveLength(5);
  });
});
