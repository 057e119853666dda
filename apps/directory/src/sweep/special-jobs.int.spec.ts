import { encodeId, newUuid, type SourceRecord } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';
import { sweepJob } from './sweep-job.js';

const directory = Harness.ofFile();
let hr: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant);
});

describe('dry runs', () => {
  const people = (from: number, to: number, title = 'Clerk'): SourceRecord[] =>
    Array.from({ length: to - from }, (_, at) =>
      row(`p${from + at}`, { employee_number: `E${from + at}`, job_title: title }),
    );

  async function run(batches: SourceRecord[][], options: RunOptions = {}): Promise<string> {
    const job = await wholeRun(directory, hr, batches, options);
    await endJob(directory, job);
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
    directory.fixture.rows<Entry>(
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
        directory.fixture.rows(`select to_jsonb(t) as row from ${table} t where tenant_id = $1 order by 1`, [
          directory.tenant,
        ]),
      ),
    );
  }

  /** The records as in the API, without ids and times. */
  async function shown(): Promise<unknown[]> {
    return directory.fixture.rows(
      `select external_id, status, fields, content_hash, (select i.status from identities i where i.id = identity_id) as identity
       from source_records where tenant_id = $1 order by external_id`,
      [directory.tenant],
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
          identity_id: await directory.identityOf('p1'),
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
      expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
      const known = 'select state, known::int from sync_plans where job_id = $1';
      expect(await directory.fixture.rows(known, [job])).toEqual([{ state: 'ready', known: 4 }]);
    });

    it('reports the identity that a new record would join', async () => {
      await run([people(0, 1)]);
      const ad = await directory.fixture.connector(directory.tenant);
      const job = await wholeRun(directory, ad, [[row('a', { employee_number: 'E0' })]], { dryRun: true });
      expect(await plan(job)).toMatchObject([{ action: 'create', identity_id: await directory.identityOf('p0') }]);
    });

    it('reports what the safeguard would stop, without a quarantine', async () => {
      await run([people(0, 30)]);
      const job = await dryRun([people(0, 5)]);
      expect(await answers(directory, job)).toMatchObject([
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

      await directory.newTenant();
      hr = await directory.fixture.connector(directory.tenant);
      await run([people(0, 4)]);
      const job = await dryRun(source);
      expect(await directory.operate('plan.apply', { job_id: job })).toMatchObject({
        status: 'done',
        result: { records_created: 1, records_updated: 1, records_deleted: 1 },
      });
      expect(await shown()).toEqual(expected);
      expect((await plan(job)).every(({ done }) => done)).toBe(true);
      expect(await plan(await dryRun(source))).toEqual([]);
    });

    it('is refused the second time', async () => {
      const job = await dryRun([people(0, 2)]);
      await directory.operate('plan.apply', { job_id: job });
      expect(await directory.operate('plan.apply', { job_id: job })).toMatchObject({
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
      const outcome = await directory.operate('plan.apply', { job_id: job });
      expect(outcome.status).toBe('refused');
      expect(outcome.result.error).toMatch(/^the directory has changed since the dry run \(p[14]\)/);
      expect(await state()).toEqual(before);
    });

    it('is not affected by changes outside the plan', async () => {
      await run([people(0, 4)]);
      const job = await dryRun(source);
      const other = await directory.fixture.connector(directory.tenant);
      await wholeRun(directory, other, [[row('x', { employee_number: 'X' })]]);
      expect((await directory.operate('plan.apply', { job_id: job })).status).toBe('done');
    });

    it('requires a reason if the safeguard would have stopped the run', async () => {
      await run([people(0, 30)]);
      const job = await dryRun([people(0, 5)]);
      const refused = await directory.operate('plan.apply', { job_id: job });
      expect(refused.result.error).toMatch(/give a reason .*would delete 25 of 30/);
      const done = await directory.operate('plan.apply', { job_id: job, reason: 'the branch is closed' });
      expect(done.result).toMatchObject({ records_deleted: 25 });
    });

    it('is refused for a job that is not a dry run or has not ended, and while the connector runs', async () => {
      const error = async (job: string) => (await directory.operate('plan.apply', { job_id: job })).result.error;
      expect(await error(directory.tenant)).toBe('the job does not exist');
      expect(await error(await run([people(0, 2)]))).toBe('the job is not a dry run');
      const reading = await wholeRun(directory, hr, [people(0, 3)], { dryRun: true });
      expect(await error(reading)).toBe('the dry run is running');
      await endJob(directory, reading, 'failed');
      expect(await error(reading)).toBe('the dry run is failed');
      const job = await dryRun([people(0, 3)]);
      await directory.fixture.job(directory.tenant, hr, 'running');
      expect(await error(job)).toBe('a sync job of the connector is running');
    });

    it('can be undone', async () => {
      await run([people(0, 4)]);
      const before = await shown();
      const job = await dryRun(source);
      await directory.operate('plan.apply', { job_id: job });
      const { result } = await directory.operate('job.undo', { job_id: job, preview: false });
      expect(result).toMatchObject({ records_restored: 2, records_removed: 1 });
      expect((await shown()).slice(0, 4)).toEqual(before);
    });
  });
});

describe('a run while another job of its connector is quarantined', () => {
  const people = (from: number, to: number, more: Record<string, string> = {}): SourceRecord[] =>
    Array.from({ length: to - from }, (_, at) => row(`p${from + at}`, { employee_number: `E${from + at}`, ...more }));

  const inactive = { status: 'inactive' };

  async function run(records: SourceRecord[], options: RunOptions = {}): Promise<string> {
    const job = await wholeRun(directory, hr, [records], options);
    const [last] = (await answers(directory, job)).slice(-1);
    await endJob(directory, job, last?.type === 'sync.sweep.ended' ? 'completed' : 'quarantined');
    return job;
  }

  async function release(job: string): Promise<void> {
    await directory.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(directory, job);
    await endJob(directory, job);
  }

  async function statuses(): Promise<Record<string, number>> {
    const rows = await directory.fixture.rows<{ status: string; count: number }>(
      'select status, count(*)::int from source_records where tenant_id = $1 group by status',
      [directory.tenant],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  const planOf = async (job: string) => {
    const [plan] = await directory.fixture.rows(
      `select deletions, disables, state, (select count(*)::int from sync_plan_entries e where e.job_id = p.job_id) as entries
       from sync_plans p where job_id = $1`,
      [job],
    );
    return plan;
  };

  const cancellations = async () => {
    const rows = await directory.fixture.rows<{ data: unknown }>(
      `select message::jsonb -> 'data' as data from outbox
      where type = 'sync.job.cancel_requested' and message::jsonb ->> 'tenant_id' = $1 order by id`,
      [directory.tenant],
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

  it('adds and changes people, and leaves its deletions and disables for later', async () => {
    const held = await heldDeletions();
    const later = await run([
      ...people(0, 1, { last_name: 'Lee' }),
      ...people(1, 2, inactive),
      ...people(2, 80),
      ...people(100, 101),
    ]);
    expect(await statuses()).toEqual({ active: 101 });
    expect((await directory.record('p0')).fields).toMatchObject({ last_name: ['Lee'] });
    expect(await answers(directory, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    expect(await planOf(later)).toEqual({ deletions: 0, disables: 0, state: 'done', entries: 0 });
  });

  it('takes the records that it lists from the held plan, so that a release deletes only the others', async () => {
    const held = await heldDeletions();
    await run([...people(0, 80), ...people(100, 101)]);
    expect(await planOf(held)).toEqual({ deletions: 20, disables: 0, state: 'held', entries: 20 });
    await release(held);
    expect(await statuses()).toEqual({ active: 81, deleted: 20 });
    expect((await directory.record('p79')).status).toBe('active');
    expect((await directory.record('p80')).status).toBe('deleted');
  });

  it('has no note if it lists everyone, and leaves nothing to delete', async () => {
    const held = await heldDeletions();
    const later = await run(people(0, 101));
    expect(await answers(directory, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
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
    await directory.fixture.rows(`update sync_plans set reasons = '[{"rule": "failed"}]' where job_id = $1`, [held]);
    const later = await run(people(0, 99));
    expect(await answers(directory, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    expect(await cancellations()).toEqual([]);
  });

  it('keeps its additions when the held job is cancelled, and the next run deletes again', async () => {
    const held = await heldDeletions();
    await run([...people(0, 95), ...people(100, 101)]);
    await endJob(directory, held, 'cancelled');
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
    expect(await answers(directory, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
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
    expect(await answers(directory, later)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, note: waiting(held) }]);
    expect(await planOf(held)).toMatchObject({ deletions: 25 });
    const additions = await run(people(101, 102), { mode: 'changes' });
    expect(await answers(directory, additions)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
  });

  it('changes no held plan if it is a dry run', async () => {
    const held = await heldDeletions();
    const dry = await run(people(0, 90), { dryRun: true });
    expect(await planOf(held)).toMatchObject({ deletions: 25 });
    expect(await planOf(dry)).toMatchObject({ deletions: 10 });
  });
});

describe('the retirement of a deleted connector', () => {
  const people = (count: number): SourceRecord[] =>
    Array.from({ length: count }, (_, n) => row(`p${n}`, { employee_number: `E${n}`, email: `p${n}@x.org` }));

  async function run(records: SourceRecord[]): Promise<string> {
    const job = await wholeRun(directory, hr, [records]);
    await endJob(directory, job);
    return job;
  }

  /** Deletes the connector and inserts a retirement as the sync-worker leaves it for the sweep. */
  async function retirement(): Promise<string> {
    await directory.fixture.rows('update connectors set deleted_at = now() where id = $1', [hr]);
    const job = await directory.fixture.job(directory.tenant, hr, 'running');
    await directory.fixture.rows(
      `update sync_jobs set retires = true, mode = 'full', batches_total = 0 where id = $1`,
      [job],
    );
    return job;
  }

  async function statuses(): Promise<Record<string, number>> {
    const rows = await directory.fixture.rows<{ status: string; count: number }>(
      'select status, count(*)::int from identities where tenant_id = $1 group by status',
      [directory.tenant],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  it('deletes its records within the deletion safeguard, with the events of leavers', async () => {
    await run(people(3));
    const job = await retirement();
    await sweep(directory, job);
    expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 3 }]);
    expect(await statuses()).toEqual({ deleted: 3 });
  });

  it('is quarantined beyond the deletion safeguard, and deletes the records when it is released', async () => {
    await run(people(25));
    const job = await retirement();
    await sweep(directory, job);
    expect(await answers(directory, job)).toEqual([
      {
        type: 'sync.sweep.held',
        note: 'quarantined: the run would delete 25 of 25 records, more than 10 % and more than 20',
      },
    ]);
    expect(await statuses()).toEqual({ active: 25 });
    await directory.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(directory, job);
    expect(await statuses()).toEqual({ deleted: 25 });
  });

  it('is quarantined if it takes access from more people of a small company than a run may', async () => {
    await run(people(12));
    const other = await directory.fixture.connector(directory.tenant, { priority: 200 });
    await endJob(directory, await wholeRun(directory, other, [people(7)]));
    await sweep(directory, await retirement());
    expect(await statuses()).toEqual({ active: 7, deleted: 5 });
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant);
    await run(people(12));
    const job = await retirement();
    await sweep(directory, job);
    const note = 'quarantined: the run would delete 12 of 12 records, more than 25 % and more than 5';
    expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.held', note }]);
    expect(await statuses()).toEqual({ active: 12 });
  });

  it('continues after the process was killed between two chunks', async () => {
    await directory.fixture.rows(`update connectors set safeguard = '{"max_deleted_percent":100}' where id = $1`, [hr]);
    await run(people(600));
    const job = await retirement();
    const dying = {
      transaction: (...[tenant, work]: Parameters<typeof directory.database.transaction>) => {
        chunks += 1;
        if (chunks > 2) throw new Error('killed');
        return directory.database.transaction(tenant, work);
      },
    } as unknown as typeof directory.database;
    let chunks = 0;
    const message = { id: newUuid(), tenant_id: directory.tenant, data: { job_id: job } };
    await expect(sweepJob(dying, message)).rejects.toThrow('killed');
    expect(await statuses()).toEqual({ active: 100, deleted: 500 });
    await sweep(directory, job);
    expect(await statuses()).toEqual({ deleted: 600 });
    expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 600 }]);
  });

  it('does not wait for a held job of the connector, whose release then changes nothing', async () => {
    const all = people(30);
    await run(all);
    const held = await wholeRun(directory, hr, [
      all.map(({ external_id, fields }) => ({ external_id, fields: { ...fields, status: ['inactive'] } })),
    ]);
    expect(await answers(directory, held)).toMatchObject([{ type: 'sync.sweep.held' }]);
    await endJob(directory, held, 'quarantined');
    await directory.fixture.rows(`update connectors set safeguard = '{"max_deleted_percent":100}' where id = $1`, [hr]);
    await sweep(directory, await retirement());
    expect(await statuses()).toEqual({ deleted: 30 });
    await directory.fixture.rows(`update sync_jobs set status = 'completed' where status = 'running'`);
    await directory.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [held],
    );
    await sweep(directory, held);
    expect(await statuses()).toEqual({ deleted: 30 });
  });

  it('leaves people of another source active', async () => {
    await run(people(3));
    const other = await directory.fixture.connector(directory.tenant);
    await endJob(directory, await wholeRun(directory, other, [people(1)]));
    await sweep(directory, await retirement());
    expect(await statuses()).toEqual({ active: 1, deleted: 2 });
  });
});
