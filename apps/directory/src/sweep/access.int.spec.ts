import { defaultLifecyclePolicy, newUuid, type SourceRecord } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, examplesOf, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';
import { applyDue } from '../background/due-work.js';
import { sweepJob } from './sweep-job.js';

const harness = Harness.ofFile();
let old: string;
let hr: string;

beforeEach(async () => {
  await harness.newTenant();
  old = await harness.fixture.connector(harness.tenant, { name: 'Old HR', priority: 20 });
  hr = await harness.fixture.connector(harness.tenant, { name: 'HR', priority: 10 });
});

const people = (count: number, values: Record<string, string>, prefix = 'p'): SourceRecord[] =>
  Array.from({ length: count }, (_, at) =>
    row(`${prefix}${at}`, { employee_number: `E${at}`, last_name: `Lee${at}`, ...values }),
  );

async function run(connector: string, batches: SourceRecord[][], options: RunOptions = {}): Promise<string> {
  const job = await wholeRun(harness, connector, batches, { at: '2026-11-29T00:00:00Z', ...options });
  const [last] = (await answers(harness, job)).slice(-1);
  await endJob(harness, job, last?.type === 'sync.sweep.held' ? 'quarantined' : 'completed');
  return job;
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await harness.fixture.rows<{ status: string; count: number }>(
    'select status, count(*)::int from identities where tenant_id = $1 group by 1',
    [harness.tenant],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

async function planOf(job: string) {
  const [plan] = await harness.fixture.rows<{ state: string; note: string; disables: number }>(
    'select state, note, disables from sync_plans where job_id = $1',
    [job],
  );
  return plan;
}

const withoutAccess = [
  { hire_date: '2027-01-03' },
  { status: 'inactive' },
  { termination_date: '2020-01-01' },
] as const;

describe('a new source that takes access from people of another one', () => {
  it.each(withoutAccess)('is held with %o for all of them, before anybody loses access', async (values) => {
    await run(old, [people(60, {})]);
    const job = await run(hr, [people(40, values, 'n'), people(60, values, 'n').slice(40)]);
    expect(await statuses()).toEqual({ active: 60 });
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      disables: 60,
      note: expect.stringContaining('disable 60 of 60 records (60 decide about people of other sources)'),
    });
  });

  it('is held in a small company, too, and takes access when an operator releases it', async () => {
    await run(old, [people(12, {})]);
    const job = await run(hr, [people(12, { status: 'inactive' }, 'n')]);
    expect(await statuses()).toEqual({ active: 12 });
    await harness.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(harness, job, '2026-11-29T00:00:00Z');
    expect(await statuses()).toEqual({ inactive: 12 });
  });

  it('keeps what it holds if a later run lists it again', async () => {
    await run(old, [people(12, {})]);
    await run(hr, [[row('x', { employee_number: 'X', last_name: 'Berg' })]]);
    await harness.fixture.rows(
      'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
      [hr, harness.tenant],
    );
    const listed = [row('x', { employee_number: 'X', last_name: 'Berg' }), ...people(8, { status: 'inactive' }, 'n')];
    const job = await run(hr, [listed]);
    const held = () =>
      harness.fixture.rows<{ external_id: string }>(
        `select external_id from sync_plan_entries where job_id = $1 and action = 'disable' order by 1`,
        [job],
      );
    expect(await held()).toHaveLength(8);
    await run(hr, [listed]);
    expect(await held()).toHaveLength(8);
    expect(await statuses()).toEqual({ active: 13 });
  });

  it('applies what gives people access, while the others wait', async () => {
    await run(old, [people(60, {})]);
    const job = await run(hr, [[...people(20, {}, 'n'), ...people(60, { status: 'inactive' }, 'n').slice(20)]]);
    expect(await planOf(job)).toMatchObject({ state: 'held', disables: 40 });
    const [{ count } = { count: 0 }] = await harness.fixture.rows<{ count: number }>(
      'select count(*)::int from source_records where connector_id = $1',
      [hr],
    );
    expect(count).toBe(20);
  });

  it('takes access from few of them without a question', async () => {
    await run(old, [people(60, {})]);
    await run(hr, [[...people(57, {}, 'n'), ...people(60, { status: 'inactive' }, 'n').slice(57)]]);
    expect(await statuses()).toEqual({ active: 57, inactive: 3 });
  });

  it('is reported by a dry run, with the statuses of the people', async () => {
    await run(old, [people(12, {})]);
    const job = await run(hr, [people(12, { hire_date: '2027-01-03' }, 'n')], { dryRun: true });
    expect((await planOf(job))?.note).toContain('disable 12 of 12 records (12 decide');
    const [entry] = await harness.fixture.rows<{ action: string; changes: { field: string }[] }>(
      'select action, changes from sync_plan_entries where job_id = $1 limit 1',
      [job],
    );
    expect(entry?.action).toBe('disable');
    expect(entry?.changes).toContainEqual({ field: 'identity.status', from: 'active', to: 'pending' });
  });
});

describe('a new source that gives access to people who have left another one', () => {
  const left = { status: 'inactive' };

  it('is held if there are many, before anybody has access', async () => {
    await run(old, [people(60, left)]);
    const job = await run(hr, [people(30, {}, 'n'), people(60, {}, 'n').slice(30)]);
    expect(await statuses()).toEqual({ inactive: 60 });
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      note: expect.stringContaining('enable 60 of 60 records'),
    });
    expect(await examplesOf(harness, job)).toEqual([['n0', 'n1', 'n2', 'n3', 'n4']]);
    const [entry] = await harness.fixture.rows<{ action: string; changes: { field: string }[] }>(
      'select action, changes from sync_plan_entries where job_id = $1 limit 1',
      [job],
    );
    expect(entry?.action).toBe('create');
    expect(entry?.changes).toContainEqual({ field: 'identity.status', from: 'inactive', to: 'active' });
  });

  it('is held if another page has listed them with a later hire date', async () => {
    await run(old, [people(60, left)]);
    await run(hr, [people(60, { hire_date: '2099-01-01' }, 'later'), people(60, {}, 'n')]);
    expect(await statuses()).toEqual({ inactive: 60 });
  });

  it('gives it when an operator releases the run', async () => {
    await run(old, [people(60, left)]);
    const job = await run(hr, [people(60, {}, 'n')]);
    await harness.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(harness, job, '2026-11-29T00:00:00Z');
    expect(await statuses()).toEqual({ active: 60 });
  });

  it('gives it to few of them without a question', async () => {
    await run(old, [[...people(57, {}), ...people(60, left).slice(57)]]);
    await run(hr, [people(60, {}, 'n')]);
    expect(await statuses()).toEqual({ active: 60 });
  });
});

describe('a first source of people beside one of machines', () => {
  it('is not held for leavers whose address a machine has', async () => {
    const machines = await harness.fixture.connector(harness.tenant, { records: 'machine_identity', priority: 50 });
    const mail = (at: number) => ({ email: `p${at}@x.example` });
    await run(machines, [Array.from({ length: 12 }, (_, at) => row(`m${at}`, mail(at)))]);
    const leavers = Array.from({ length: 12 }, (_, at) => row(`p${at}`, { ...mail(at), status: 'inactive' }));
    const job = await run(old, [leavers]);
    expect((await planOf(job))?.state ?? 'done').toBe('done');
    expect((await harness.record('p0')).status).toBe('inactive');
  });
});

describe('another employment of the same source', () => {
  const ended = people(12, { status: 'inactive' }, 'ended');
  const current = people(12, {}, 'current');

  it.each([
    ['first', [ended, current]],
    ['last', [current, ended]],
  ])('keeps access, whatever the order of the rows: the ended ones %s', async (_, batches) => {
    await run(old, [people(12, {})]);
    const job = await run(hr, batches);
    expect(await statuses()).toEqual({ active: 12 });
    expect((await planOf(job))?.state ?? 'done').toBe('done');
    expect((await harness.people())[0]).toHaveLength(3);
  });
});

describe('runs of several sources on one day', () => {
  const sources = 4;
  /** Each has 40 people; some have left. */
  const listed = (source: number, left = 0): SourceRecord[] =>
    Array.from({ length: 40 }, (_, at) =>
      row(`${source}-${at}`, {
        employee_number: `E${source}${at}`,
        last_name: `Lee${source}-${at}`,
        status: at < left ? 'inactive' : 'active',
      }),
    );
  let connectors: string[];

  beforeEach(async () => {
    const named = (nth: number) => harness.fixture.connector(harness.tenant, { name: `Site ${nth}`, priority: 30 });
    connectors = await Promise.all(Array.from({ length: sources }, (_, nth) => named(nth)));
    for (const [nth, connector] of connectors.entries()) await run(connector, [listed(nth)]);
  });

  const leave = (nth: number, left = 8) => run(connectors[nth] ?? '', [listed(nth, left)]);
  const planNow = async (job: string) => (await planOf(job))?.state ?? 'done';

  it('together take access from as many people as one of them may, back to the last release', async () => {
    for (const nth of [0, 1]) expect(await planNow(await leave(nth))).toBe('done');
    const job = await leave(2);
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      note: expect.stringContaining(
        'take access from 8, after 16 within a day, of 160 people, more than 10 % and more than 20',
      ),
    });
    expect(await examplesOf(harness, job)).toEqual([['2-0', '2-1', '2-2', '2-3', '2-4']]);
    expect(await statuses()).toEqual({ active: 144, inactive: 16 });
    await harness.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(harness, job, '2026-11-29T00:00:00Z');
    await endJob(harness, job, 'completed');
    expect(await planNow(await leave(3))).toBe('done');
    expect(await statuses()).toEqual({ active: 128, inactive: 32 });
  });

  it('are held also if they end at the same time', async () => {
    const jobs = await Promise.all(
      [0, 1, 2].map((nth) => appliedRun(harness, connectors[nth] ?? '', [listed(nth, 8)])),
    );
    const { database, tenant: tenant_id } = harness;
    await Promise.all(jobs.map((job_id) => sweepJob(database, { id: newUuid(), tenant_id, data: { job_id } })));
    const states = await Promise.all(jobs.map(planNow));
    expect(states.sort()).toEqual(['done', 'done', 'held']);
    expect(await statuses()).toEqual({ active: 144, inactive: 16 });
  });

  it('do not count people whose loss an operator has released', async () => {
    for (const nth of [0, 1]) await leave(nth);
    const released = await leave(2);
    await harness.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [released],
    );
    await harness.fixture.rows(`update sync_plans set state = 'ready' where job_id = $1`, [released]);
    expect(await planOf(await leave(3))).toMatchObject({ note: expect.stringContaining('8, after 16 within a day') });
  });

  it('of one source have its own bounds only', async () => {
    await harness.newTenant();
    const only = await harness.fixture.connector(harness.tenant, { name: 'Only' });
    for (const list of [listed(0), listed(0, 6)]) await run(only, [list.slice(0, 24)]);
    expect(await planNow(await run(only, [listed(0, 6).slice(0, 18)]))).toBe('done');
    expect(await statuses()).toEqual({ active: 12, inactive: 6, deleted: 6 });
  });

  it('do not count people who have got access again', async () => {
    for (const nth of [0, 1]) await leave(nth);
    await run(connectors[1] ?? '', [listed(1, 3)]);
    expect(await planNow(await leave(2))).toBe('done');
    expect(await planOf(await leave(3))).toMatchObject({ note: expect.stringContaining('8, after 19 within a day') });
  });

  it('may disable the records of people who have already lost access', async () => {
    const logins = (left: number) =>
      listed(0, left).map((each) => ({ ...each, external_id: `login-${each.external_id}` }));
    const directory = await harness.fixture.connector(harness.tenant, { name: 'Directory', priority: 40 });
    await run(directory, [logins(0)]);
    for (const nth of [0, 1]) await leave(nth, 10);
    expect(await planNow(await run(directory, [logins(10)]))).toBe('done');
  });

  it('count for the hours of the source only', async () => {
    for (const nth of [0, 1]) await leave(nth);
    await harness.fixture.rows(`update sync_jobs set completed_at = completed_at - interval '25 hours'`);
    expect(await planNow(await leave(2))).toBe('done');
  });
});

describe('a change of settings', () => {
  it('counts with the runs and other changes of the day, back to a confirmation', async () => {
    const at = '2026-11-29T00:00:00Z';
    const third = await harness.fixture.connector(harness.tenant, { name: 'Third', priority: 30 });
    await run(old, [people(60, {})]);
    await run(third, [people(10, { status: 'inactive' }, 'n')]);
    const rank = (priority: number) => harness.operate('attributes.rank', { connector: { id: third, priority } }, at);
    const leave = () => run(old, [[...people(50, {}), ...people(60, { status: 'inactive' }).slice(50)]]);
    const bounded = 'take access from 10, after 10 within a day, of 60 people, more than 25 % and more than 5';

    const ranked = await rank(5);
    expect(ranked).toMatchObject({ status: 'done', result: { access_lost: 10 } });
    const be = (status: string, endedAt: string) =>
      harness.fixture.rows(`update operations set status = $2, ended_at = ${endedAt} where id = $1`, [
        ranked.id,
        status,
      ]);
    // A change that is still being made, or was cancelled, has taken access too.
    for (const [status, endedAt] of [
      ['running', 'null'],
      ['cancelled', 'now()'],
      ['done', 'now()'],
    ] as const) {
      await be(status, endedAt);
      const stopped = await leave();
      expect(await planOf(stopped)).toMatchObject({ state: 'held', note: expect.stringContaining(bounded) });
      await endJob(harness, stopped, 'cancelled');
    }
    expect(await rank(30)).toMatchObject({ status: 'done' });
    const held = await rank(5);
    expect(held).toMatchObject({ status: 'held', result: { held: bounded } });
    const confirmed = await harness.operate('operation.confirm', { operation_id: held.id }, at);
    expect(confirmed).toMatchObject({ status: 'done', result: { access_lost: 10 } });
    expect((await planOf(await leave()))?.state).toBe('done');
  });
});

describe('a change of a key that joins people of another source to those who have left', () => {
  it('is held if it takes access from many', async () => {
    await run(hr, [people(12, { status: 'inactive' }, 'n')]);
    const others = people(12, { employee_number: '' }).map(({ external_id, fields }) => {
      const { employee_number: _, ...rest } = fields;
      return { external_id, fields: { ...rest, email: [`${external_id}@x.example`] } };
    });
    await run(old, [others]);
    expect(await statuses()).toEqual({ active: 12, inactive: 12 });
    const job = await run(old, [people(12, {})]);
    expect(await statuses()).toEqual({ active: 12, inactive: 12 });
    expect(await planOf(job)).toMatchObject({ state: 'held', disables: 12 });
  });
});

describe('a source that no longer lists people who have left it', () => {
  const at = '2026-11-29T00:00:00Z';
  const left = 15;
  const listed = [...people(60, {}, 'n').slice(left), ...people(left, { status: 'inactive' }, 'n')];
  const remaining = listed.slice(0, -left);
  const kept = { active: 60 - left, inactive: left };

  beforeEach(async () => {
    await run(old, [people(60, {})]);
    await run(hr, [listed]);
    expect(await statuses()).toEqual(kept);
  });

  it('gives no access, also not by later runs and changes of the records that remain', async () => {
    const job = await run(hr, [remaining]);
    expect((await planOf(job))?.state).toBe('done');
    expect(await statuses()).toEqual(kept);
    await run(hr, [remaining]);
    await run(old, [people(60, { job_title: 'Clerk' })]);
    expect(await statuses()).toEqual(kept);
    await applyDue(harness.database, harness.tenant, new Date('2027-01-10T00:00:00Z'));
    expect(await harness.people()).toContainEqual(['p0']);
    await run(old, [people(60, { job_title: 'Chief' })]);
    expect(await statuses()).toEqual(kept);
    await harness.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, grace_days: 31 } }, at);
    expect(await statuses()).toEqual(kept);
  });

  it('gives access to a person who is newly listed as active', async () => {
    await run(hr, [remaining]);
    const [first, second, ...others] = people(60, {});
    const leaves = [first, second].map((each) => ({ ...each, fields: { ...each?.fields, status: ['inactive'] } }));
    await run(old, [[...leaves, ...others] as SourceRecord[]]);
    expect(await statuses()).toEqual(kept);
    await run(old, [people(60, {})]);
    await run(hr, [[...remaining, ...people(3, {}, 'n').slice(2)]]);
    expect(await statuses()).toEqual({ active: 48, inactive: 12 });
  });

  it('leaves the decision to an operator who undoes the run that took access', async () => {
    await harness.newTenant();
    old = await harness.fixture.connector(harness.tenant, { name: 'Old HR', priority: 20 });
    hr = await harness.fixture.connector(harness.tenant, { name: 'HR', priority: 10 });
    await run(old, [people(5, {})]);
    const job = await run(hr, [people(5, { status: 'inactive' }, 'n')]);
    expect(await statuses()).toEqual({ inactive: 5 });
    await harness.operate('job.undo', { job_id: job, preview: false }, at);
    expect(await statuses()).toEqual({ active: 5 });
  });
});
