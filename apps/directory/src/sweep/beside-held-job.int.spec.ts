import type { SourceRecord } from '@idsync/contracts';
import { encodeId } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';

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

const people = (from: number, to: number, more: Record<string, string> = {}): SourceRecord[] =>
  Array.from({ length: to - from }, (_, at) => row(`p${from + at}`, { employee_number: `E${from + at}`, ...more }));

const inactive = { status: 'inactive' };

async function run(records: SourceRecord[], options: RunOptions = {}): Promise<string> {
  const job = await wholeRun(harness, hr, [records], options);
  const [last] = (await answers(harness, job)).slice(-1);
  await endJob(harness, job, last?.type === 'sync.sweep.ended' ? 'completed' : 'quarantined');
  return job;
}

async function release(job: string): Promise<void> {
  await harness.fixture.rows(
    `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
    [job],
  );
  await sweep(harness, job);
  await endJob(harness, job);
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await harness.fixture.rows<{ status: string; count: number }>(
    'select status, count(*)::int from source_records where tenant_id = $1 group by status',
    [harness.tenant],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const planOf = async (job: string) => {
  const [plan] = await harness.fixture.rows(
    `select deletions, disables, state, (select count(*)::int from sync_plan_entries e where e.job_id = p.job_id) as entries
       from sync_plans p where job_id = $1`,
    [job],
  );
  return plan;
};

const cancellations = async () => {
  const rows = await harness.fixture.rows<{ data: unknown }>(
    `select message::jsonb -> 'data' as data from outbox
      where type = 'sync.job.cancel_requested' and message::jsonb ->> 'tenant_id' = $1 order by id`,
    [harness.tenant],
  );
  return rows.map(({ data }) => data);
};

const waiting = (job: string) => `deletions and disables wait for the decision about ${encodeId('job', job)}`;

/** A hundred people, and a held job that no longer lists the last 25. */
async function heldDeletions(): Promise<string> {
  await run(people(0, 100));
  const held = await run(people(0, 75));
  expect(await planOf(held)).toEqual({ deletions: 25, disables: 0, state: 'held', entries: 25 });
  return held;
}

describe('a run while another job of its connector is quarantined', () => {
  it('adds and changes people, and leaves its deletions and disables for later', async () => {
    const held = await heldDeletions();
    const later = await run([
      ...people(0, 1, { last_name: 'Lee' }),
      ...people(1, 2, inactive),
      ...people(2, 80),
      ...people(100, 101),
    ]);
    expect(await statuses()).toEqual({ active: 101 });
    expect((await harness.record('p0')).fields).toMatchObject({ last_name: ['Lee'] });
    expect(await answers(harness, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    expect(await planOf(later)).toEqual({ deletions: 0, disables: 0, state: 'done', entries: 0 });
  });

  it('takes the records that it lists from the held plan, so that a release deletes only the others', async () => {
    const held = await heldDeletions();
    await run([...people(0, 80), ...people(100, 101)]);
    expect(await planOf(held)).toEqual({ deletions: 20, disables: 0, state: 'held', entries: 20 });
    await release(held);
    expect(await statuses()).toEqual({ active: 81, deleted: 20 });
    expect((await harness.record('p79')).status).toBe('active');
    expect((await harness.record('p80')).status).toBe('deleted');
  });

  it('has no note if it lists everyone, and leaves nothing to delete', async () => {
    const held = await heldDeletions();
    const later = await run(people(0, 101));
    expect(await answers(harness, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
    await release(held);
    expect(await statuses()).toEqual({ active: 101 });
  });

  it('ends the held job if it leaves nothing of its plan, and applies its own deletions', async () => {
    const held = await heldDeletions();
    await run([...people(0, 60), ...people(75, 90)]);
    expect(await statuses()).toEqual({ active: 100 });
    expect(await cancellations()).toEqual([]);
    const whole = await run([...people(0, 73), ...people(75, 101)]);
    expect(await cancellations()).toEqual([
      {
        job_id: held,
        by: 'idsync',
        reason: `nothing of its plan is left after the run ${encodeId('job', whole)}`,
      },
    ]);
    expect(await statuses()).toEqual({ active: 99, deleted: 2 });
  });

  it('ends the held job if an incremental run leaves nothing of its plan, such as pushes that correct it', async () => {
    await run(people(0, 100));
    const held = await run(people(0, 30, inactive), { mode: 'changes' });
    expect(await planOf(held)).toMatchObject({ disables: 30, state: 'held' });
    await run(people(0, 29), { mode: 'changes' });
    expect(await cancellations()).toEqual([]);
    const corrected = await run([...people(29, 30), ...people(50, 51, inactive)], { mode: 'changes' });
    expect(await cancellations()).toEqual([
      { job_id: held, by: 'idsync', reason: `nothing of its plan is left after the run ${encodeId('job', corrected)}` },
    ]);
    expect(await statuses()).toEqual({ active: 99, inactive: 1 });
  });

  it('leaves a job held that has left out too many records, whose plan is empty', async () => {
    const held = await heldDeletions();
    await harness.fixture.rows(`update sync_plans set reasons = '[{"rule": "failed"}]' where job_id = $1`, [held]);
    const later = await run(people(0, 99));
    expect(await answers(harness, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    expect(await cancellations()).toEqual([]);
  });

  it('keeps its additions when the held job is cancelled, and the next run deletes again', async () => {
    const held = await heldDeletions();
    await run([...people(0, 95), ...people(100, 101)]);
    await endJob(harness, held, 'cancelled');
    expect(await statuses()).toEqual({ active: 101 });
    await run([...people(0, 95), ...people(100, 101)]);
    expect(await statuses()).toEqual({ active: 96, deleted: 5 });
  });

  it('takes from a held plan the disables of those who are active again, but not of the others', async () => {
    await run(people(0, 100));
    const held = await run([...people(0, 30, inactive), ...people(30, 100)]);
    const later = await run([...people(0, 5), ...people(5, 30, { ...inactive, last_name: 'Lee' }), ...people(30, 100)]);
    expect(await statuses()).toEqual({ active: 100 });
    expect(await planOf(held)).toEqual({ deletions: 0, disables: 25, state: 'held', entries: 25 });
    expect(await answers(harness, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    await release(held);
    expect(await statuses()).toEqual({ active: 75, inactive: 25 });
  });

  it('takes from a held plan the deletion of a person who is listed as inactive', async () => {
    const held = await heldDeletions();
    await run([...people(0, 75), ...people(75, 80, inactive)]);
    expect(await planOf(held)).toMatchObject({ deletions: 20 });
    await release(held);
    await run([...people(0, 75), ...people(75, 80, inactive)]);
    expect(await statuses()).toEqual({ active: 75, inactive: 5, deleted: 20 });
  });

  it('leaves the deletions that an incremental run reports for later, and adds its people', async () => {
    const held = await heldDeletions();
    const removed: SourceRecord = { external_id: 'p0', fields: {}, removed: true };
    const later = await run([removed, ...people(100, 101)], { mode: 'changes' });
    expect(await statuses()).toEqual({ active: 101 });
    expect(await answers(harness, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    expect(await planOf(held)).toMatchObject({ deletions: 25 });
    const additions = await run(people(101, 102), { mode: 'changes' });
    expect(await answers(harness, additions)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
  });

  it('changes no held plan if it is a dry run', async () => {
    const held = await heldDeletions();
    const dry = await run(people(0, 90), { dryRun: true });
    expect(await planOf(held)).toMatchObject({ deletions: 25 });
    expect(await planOf(dry)).toMatchObject({ deletions: 10 });
  });
});
