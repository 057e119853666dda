import type { SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, type RunOptions, wholeRun } from '../../test/whole-run.js';

let harness: Harness;
let hr: string;

beforeAll(async () => {
  harness = await Harness.create();
});

beforeEach(async () => {
  await harness.newTenant();
  hr = await harness.fixture.connector(harness.tenant);
});

afterAll(async () => {
  await harness?.close();
});

const people = (from: number, to: number, title = 'Clerk'): SourceRecord[] =>
  Array.from({ length: to - from }, (_, at) =>
    row(`p${from + at}`, { employee_number: `E${from + at}`, job_title: title }),
  );

async function run(batches: SourceRecord[][], options: RunOptions = {}): Promise<string> {
  const job = await wholeRun(harness, hr, batches, options);
  await endJob(harness, job);
  return job;
}

const dryRun = (batches: SourceRecord[][]) => run(batches, { dryRun: true });

interface Entry {
  action: string;
  external_id: string;
  identity_id: string | null;
  changes: { field: string; from?: string; to?: string }[];
  done: boolean;
}

const plan = (job: string) =>
  harness.fixture.rows<Entry>(
    'select action, external_id, identity_id, changes, done from sync_plan_entries where job_id = $1 order by id',
    [job],
  );

/** All rows of a tenant's directory. */
async function state(): Promise<unknown[]> {
  const tables = [
    'source_records',
    'identities',
    'events',
    'correlation_keys',
    'directory_counters',
    'match_queue',
    'weak_keys',
  ];
  return Promise.all(
    tables.map((table) =>
      harness.fixture.rows(`select to_jsonb(t) as row from ${table} t where tenant_id = $1 order by 1`, [
        harness.tenant,
      ]),
    ),
  );
}

/** The records as in the API, without ids and times. */
async function shown(): Promise<unknown[]> {
  return harness.fixture.rows(
    `select external_id, status, fields, content_hash, (select i.status from identities i where i.id = identity_id) as identity
       from source_records where tenant_id = $1 order by external_id`,
    [harness.tenant],
  );
}

describe('a dry run', () => {
  it('stores what a run would do to each record, and changes nothing', async () => {
    await run([people(0, 4)]);
    const before = await state();
    const job = await dryRun([people(0, 1), [...people(1, 2, 'Head'), ...people(4, 5)], people(3, 4)]);
    expect(await state()).toEqual(before);
    expect(await plan(job)).toMatchObject([
      {
        action: 'update',
        external_id: 'p1',
        identity_id: await harness.identityOf('p1'),
        changes: [{ field: 'job_title', from: 'Clerk', to: 'Head' }],
        done: false,
      },
      {
        action: 'create',
        external_id: 'p4',
        identity_id: null,
        changes: [
          { field: 'employee_number', to: 'E4' },
          { field: 'job_title', to: 'Clerk' },
          { field: 'status', to: 'active' },
        ],
      },
      { action: 'delete', external_id: 'p2', changes: [{ field: 'status', from: 'active', to: 'deleted' }] },
    ]);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
    const known = 'select state, known::int from sync_plans where job_id = $1';
    expect(await harness.fixture.rows(known, [job])).toEqual([{ state: 'ready', known: 4 }]);
  });

  it('reports the identity that a new record would join', async () => {
    await run([people(0, 1)]);
    const ad = await harness.fixture.connector(harness.tenant);
    const job = await wholeRun(harness, ad, [[row('a', { employee_number: 'E0' })]], { dryRun: true });
    expect(await plan(job)).toMatchObject([{ action: 'create', identity_id: await harness.identityOf('p0') }]);
  });

  it('reports what the safeguard would stop, without a quarantine', async () => {
    await run([people(0, 30)]);
    const job = await dryRun([people(0, 5)]);
    expect(await answers(harness, job)).toMatchObject([
      { type: 'sync.sweep.ended', deleted: 0, note: expect.stringMatching(/would delete 25 of 30/) },
    ]);
  });

  it('plans no deletion when a record could not be read', async () => {
    await run([people(0, 3)]);
    const job = await run([people(0, 1)], { dryRun: true, errors: [{ message: 'no id' }] });
    expect(await plan(job)).toEqual([]);
  });
});

describe('applying the plan of a dry run', () => {
  const source = [people(0, 1), [...people(1, 2, 'Head'), ...people(4, 5)], people(3, 4)];

  it('has the same result as the run itself', async () => {
    await run([people(0, 4)]);
    await run(source);
    const expected = await shown();

    await harness.newTenant();
    hr = await harness.fixture.connector(harness.tenant);
    await run([people(0, 4)]);
    const job = await dryRun(source);
    expect(await harness.operate('plan.apply', { job_id: job })).toMatchObject({
      status: 'done',
      result: { records_created: 1, records_updated: 1, records_deleted: 1 },
    });
    expect(await shown()).toEqual(expected);
    expect((await plan(job)).every(({ done }) => done)).toBe(true);
    expect(await plan(await dryRun(source))).toEqual([]);
  });

  it('is refused the second time', async () => {
    const job = await dryRun([people(0, 2)]);
    await harness.operate('plan.apply', { job_id: job });
    expect(await harness.operate('plan.apply', { job_id: job })).toMatchObject({
      status: 'refused',
      result: { error: 'the plan has already been applied' },
    });
  });

  it.each([
    ['been changed', (): SourceRecord[] => [...people(0, 1), ...people(1, 2, 'Boss'), ...people(2, 4)]],
    ['been removed', (): SourceRecord[] => [people(0, 1), people(2, 4)].flat()],
    ['been added', (): SourceRecord[] => people(0, 5)],
  ])('is refused completely when one of its records has %s since', async (_, other) => {
    await run([people(0, 4)]);
    const job = await dryRun(source);
    await run([other()]);
    const before = await state();
    const outcome = await harness.operate('plan.apply', { job_id: job });
    expect(outcome.status).toBe('refused');
    expect(outcome.result.error).toMatch(/^the directory has changed since the dry run \(p[14]\)/);
    expect(await state()).toEqual(before);
  });

  it('is not affected by changes outside the plan', async () => {
    await run([people(0, 4)]);
    const job = await dryRun(source);
    const other = await harness.fixture.connector(harness.tenant);
    await wholeRun(harness, other, [[row('x', { employee_number: 'X' })]]);
    expect((await harness.operate('plan.apply', { job_id: job })).status).toBe('done');
  });

  it('requires a reason if the safeguard would have stopped the run', async () => {
    await run([people(0, 30)]);
    const job = await dryRun([people(0, 5)]);
    const refused = await harness.operate('plan.apply', { job_id: job });
    expect(refused.result.error).toMatch(/give a reason .*would delete 25 of 30/);
    const done = await harness.operate('plan.apply', { job_id: job, reason: 'the branch is closed' });
    expect(done.result).toMatchObject({ records_deleted: 25 });
  });

  it('is refused for a job that is not a dry run or has not ended, and while the connector runs', async () => {
    const error = async (job: string) => (await harness.operate('plan.apply', { job_id: job })).result.error;
    expect(await error(harness.tenant)).toBe('the job does not exist');
    expect(await error(await run([people(0, 2)]))).toBe('the job is not a dry run');
    const reading = await wholeRun(harness, hr, [people(0, 3)], { dryRun: true });
    expect(await error(reading)).toBe('the dry run is running');
    await endJob(harness, reading, 'failed');
    expect(await error(reading)).toBe('the dry run is failed');
    const job = await dryRun([people(0, 3)]);
    await harness.fixture.job(harness.tenant, hr, 'running');
    expect(await error(job)).toBe('a sync job of the connector is running');
  });

  it('can be undone', async () => {
    await run([people(0, 4)]);
    const before = await shown();
    const job = await dryRun(source);
    await harness.operate('plan.apply', { job_id: job });
    const { result } = await harness.operate('job.undo', { job_id: job, preview: false });
    expect(result).toMatchObject({ records_restored: 2, records_removed: 1 });
    expect((await shown()).slice(0, 4)).toEqual(before);
  });
});
