import { newUuid, type RecordKind, type SourceRecord } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { lockReferences } from '@idsync/database/directory';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';
import { applyDue } from '../background/due-work.js';
import { applyBatch } from '../batch/apply-batch.js';
import { clearEndedRuns, sweepJob } from './sweep-job.js';

const harness = Harness.ofFile();
let hr: string;

beforeEach(async () => {
  await harness.newTenant();
  hr = await harness.fixture.connector(harness.tenant);
});

/** People `p0`, `p1`, … with the status of their source. */
const people = (from: number, to: number, status?: string): SourceRecord[] =>
  Array.from({ length: to - from }, (_, at) => from + at).map((n) =>
    row(`p${n}`, { employee_number: `E${n}`, email: `p${n}@x.org`, ...(status !== undefined && { status }) }),
  );

const renamed = ({ external_id, fields }: SourceRecord) => ({
  external_id,
  fields: { ...fields, last_name: ['Other'] },
});

async function run(batches: SourceRecord[][], options: RunOptions & { connector?: string } = {}): Promise<string> {
  const job = await wholeRun(harness, options.connector ?? hr, batches, options);
  const [last] = (await answers(harness, job)).slice(-1);
  if (last?.type === 'sync.sweep.ended') await endJob(harness, job);
  return job;
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await harness.fixture.rows<{ status: string; count: number }>(
    'select status, count(*)::int from source_records where tenant_id = $1 group by status',
    [harness.tenant],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const types = async (job: string): Promise<string[]> =>
  (
    await harness.fixture.rows<{ type: string }>('select type from events where job_id = $1 order by sequence', [job])
  ).map(({ type }) => type);

const planned = (job: string) =>
  harness.fixture.rows(
    'select action, done, count(*)::int from sync_plan_entries where job_id = $1 group by action, done order by 1, 2',
    [job],
  );

async function release(job: string): Promise<void> {
  await harness.fixture.rows(
    `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
    [job],
  );
  await sweep(harness, job);
}

describe('a sweep', () => {
  it('turns unlisted records into tombstones and records the events', async () => {
    await run([people(0, 3), people(3, 5)]);
    const job = await run([people(0, 2), people(3, 5)]);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
    expect(await statuses()).toEqual({ active: 4, deleted: 1 });
    expect(await types(job)).toEqual(['user.deleted', 'identity.deleted', 'lifecycle.leaver']);
    const gone = await harness.record('p2');
    expect(gone.fields).toMatchObject({ email: ['p2@x.org'] });
  });

  it('restores a record that is listed again, with the same identity', async () => {
    await run([people(0, 3)]);
    const before = await harness.identityOf('p2');
    await run([people(0, 2)]);
    const job = await run([people(0, 3)]);
    expect(await statuses()).toEqual({ active: 3 });
    expect(await harness.identityOf('p2')).toBe(before);
    expect(await types(job)).toContain('lifecycle.rejoiner');
  });

  it('sets inactive for a record that is listed again as inactive, with a new grace period', async () => {
    await run([people(0, 3)]);
    await run([people(0, 2)]);
    const job = await run([[...people(0, 2), ...people(2, 3, 'inactive')]]);
    expect(await statuses()).toEqual({ active: 2, inactive: 1 });
    expect(await types(job)).toEqual(['user.status_changed', 'identity.status_changed']);
    await applyDue(harness.database, harness.tenant, new Date(Date.now() + 31 * 24 * 60 * 60 * 1_000));
    expect(await statuses()).toEqual({ active: 2, deleted: 1 });
    await run([[...people(0, 2), ...people(2, 3, 'inactive').map(renamed)]]);
    expect(await statuses()).toEqual({ active: 2, deleted: 1 });
  });

  it('keeps the person of a record with a new external id and the same employee number', async () => {
    const ren = (id: string) => row(id, { employee_number: '7', email: 'ren@x.org', first_name: 'Ren' });
    await run([[ren('cn=ren,ou=a'), ...people(0, 3)]]);
    const before = await harness.identityOf('cn=ren,ou=a');
    const job = await run([[...people(0, 3), ren('cn=ren,ou=b')]]);
    expect(await harness.identityOf('cn=ren,ou=b')).toBe(before);
    expect(await harness.identityOf('cn=ren,ou=a')).toBe(before);
    expect(await statuses()).toEqual({ active: 4, deleted: 1 });
    expect((await types(job)).filter((type) => /identity.created|identity.merged|joiner/.test(type))).toEqual([]);
    expect(await directoryFaults(harness.fixture, harness.tenant)).toEqual([]);
    await run([[...people(0, 3), ren('cn=ren,ou=b')]]);
    expect(await harness.identityOf('cn=ren,ou=b')).toBe(before);
  });

  it('asks about a record with a new external id and only the email of the earlier one', async () => {
    const ren = (id: string) => row(id, { email: 'ren@x.org', first_name: 'Ren' });
    await run([[ren('cn=ren,ou=a'), ...people(0, 3)]]);
    const before = await harness.identityOf('cn=ren,ou=a');
    await run([[...people(0, 3), ren('cn=ren,ou=b')]]);
    expect(await harness.identityOf('cn=ren,ou=b')).not.toBe(before);
    const cases = await harness.fixture.rows(
      'select c.status from review_cases c join source_records r on r.id = c.record_id where r.external_id = $1',
      ['cn=ren,ou=b'],
    );
    expect(cases).toEqual([{ status: 'open' }]);
  });

  it('never transfers the person of a removed record to another record by the email', async () => {
    const of = (id: string, number?: string) =>
      row(id, { email: 'desk@x.org', ...(number !== undefined && { employee_number: number }) });
    await run([[of('one'), of('two')]]);
    const [one, two] = [await harness.identityOf('one'), await harness.identityOf('two')];
    await run([[of('two')]]);
    expect([await harness.identityOf('one'), await harness.identityOf('two')]).toEqual([one, two]);
    await run([[of('two', '2')]]);
    await run([[of('three', '3')]]);
    expect(await harness.identityOf('three')).not.toBe(two);
    expect(await harness.identityOf('three')).not.toBe(one);
    expect(await directoryFaults(harness.fixture, harness.tenant)).toEqual([]);
  });

  it('of machines waits for concurrent changes of people, like the batches of machines', async () => {
    const apps = await harness.fixture.connector(harness.tenant, { records: 'machine_identity' });
    await run([[row('a', { owned_by: 'p0' }), row('b', { owned_by: 'p0' })]], { connector: apps });
    const job = await appliedRun(harness, apps, [[row('a', { owned_by: 'p0' })]]);
    let swept: Promise<void> | undefined;
    await harness.database.transaction(harness.tenant, async (tx) => {
      await lockReferences(tx, 'shared');
      swept = sweep(harness, job);
      await harness.fixture.waitForBlockedLock();
    });
    await swept;
    expect(await statuses()).toMatchObject({ decommissioned: 1 });
  });

  it('writes to no record when all records are still listed', async () => {
    await run([people(0, 3)]);
    const xmin = () =>
      harness.fixture.rows('select id, xmin from source_records where tenant_id = $1 order by id', [harness.tenant]);
    const before = await xmin();
    const job = await run([people(0, 3)]);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
    expect(await xmin()).toEqual(before);
  });

  it.each<[RecordKind, string]>([
    ['account', 'deleted'],
    ['machine_identity', 'decommissioned'],
  ])('deletes an %s, which becomes %s and stays so when its owner changes', async (records, gone) => {
    await run([[row('p0', { employee_number: 'E0', first_name: 'Ada' })]]);
    const connector = await harness.fixture.connector(harness.tenant, { records });
    const owned = [row('a', { employee_number: 'E0' }), row('b', { employee_number: 'E0' })];
    await run([owned], { connector });
    const job = await run([owned.slice(0, 1)], { connector });
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
    expect(await types(job)).toContain(records === 'account' ? 'account.deleted' : 'machine_identity.decommissioned');
    await run([[row('p0', { employee_number: 'E0', first_name: 'Grace', status: 'inactive' })]]);
    expect((await harness.record('b')).status).toBe(gone);
    await run([owned], { connector });
    expect((await harness.record('b')).status).not.toBe(gone);
  });

  it('reports records that several batches listed, changed or not', async () => {
    await run([people(0, 4)]);
    const job = await run([people(0, 3), [...people(1, 4), row('new', { email: 'new@x.org' })], people(1, 2)]);
    const error = (external_id: string) => ({ external_id, message: 'listed more than once by the source' });
    expect(await answers(harness, job)).toEqual([
      { type: 'sync.sweep.ended', deleted: 0, repeated: 3, errors: [error('p1'), error('p2')] },
    ]);
    expect(await statuses()).toEqual({ active: 5 });
  });

  it('does not change records of other connectors', async () => {
    const other = await harness.fixture.connector(harness.tenant);
    await run([people(0, 3)]);
    await run([people(5, 8)], { connector: other });
    await run([people(0, 2)]);
    expect(await statuses()).toEqual({ active: 5, deleted: 1 });
  });

  it('runs once when it is requested repeatedly', async () => {
    await run([people(0, 3)]);
    const job = await wholeRun(harness, hr, [people(0, 2)]);
    const events = await types(job);
    await sweep(harness, job);
    await endJob(harness, job);
    await sweep(harness, job);
    expect(await types(job)).toEqual(events);
    expect(await answers(harness, job)).toEqual(Array(2).fill({ type: 'sync.sweep.ended', deleted: 1 }));
  });

  it('continues after a killed directory, in whichever transaction it was killed', async () => {
    await run([people(0, 4)]);
    const job = await appliedRun(harness, hr, [[...people(5, 6), ...people(3, 4, 'inactive')]]);
    const message = { id: newUuid(), tenant_id: harness.tenant, data: { job_id: job } };
    let kills = 0;
    for (let killedIn = 1; killedIn <= 3; killedIn += 1) {
      let transactions = 0;
      const killed = Object.assign(Object.create(harness.database) as Database, {
        transaction: <T>(tenant: string, work: (tx: Transaction) => Promise<T>) =>
          harness.database.transaction(tenant, async (tx) => {
            const result = await work(tx);
            transactions += 1;
            if (transactions === killedIn) throw new Error('killed');
            return result;
          }),
      });
      await sweepJob(killed, message).catch(() => {
        kills += 1;
      });
    }
    await sweep(harness, job);
    expect(kills).toBe(3);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 3 }]);
    expect((await types(job)).filter((type) => type === 'user.deleted')).toHaveLength(3);
    expect((await types(job)).filter((type) => type === 'user.status_changed')).toHaveLength(1);
    expect(await statuses()).toEqual({ active: 1, inactive: 1, deleted: 3 });
  });

  it('does not delete a record that was skipped in this run', async () => {
    await run([people(0, 4)]);
    const job = await run([people(0, 2)], { errors: [{ external_id: 'p2', message: 'hire_date is not a date' }] });
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
    expect((await harness.record('p2')).status).toBe('active');
    expect((await harness.record('p3')).status).toBe('deleted');
  });

  it.each([
    { message: '2 columns, but the header has 3' },
    { external_id: 'p2', message: 'has a second dn in line 7', hides_others: true as const },
  ])('deletes nothing and reports why when a skipped record has no id', async (error) => {
    await run([people(0, 4)]);
    const job = await run([people(0, 2)], { errors: [error] });
    expect(await answers(harness, job)).toMatchObject([
      { deleted: 0, note: expect.stringMatching(/^nothing was deleted: 1 record without an id/) },
    ]);
    expect(await statuses()).toEqual({ active: 4 });
  });

  it('deletes nothing when a batch is not accounted for', async () => {
    await run([people(0, 4)]);
    const job = await wholeRun(harness, hr, [people(0, 2)], {});
    await harness.fixture.rows('delete from sync_plans where job_id = $1', [job]);
    const [count] = [await statuses()];
    await harness.fixture.rows('delete from seen_records where job_id = $1', [job]);
    await sweep(harness, job);
    expect(await statuses()).toEqual(count);
    expect((await answers(harness, job)).at(-1)?.note).toMatch(/accounted for/);
  });

  it('deletes nothing for a job that has ended', async () => {
    await run([people(0, 4)]);
    for (const status of ['failed', 'cancelled']) {
      const job = await harness.fixture.job(harness.tenant, hr, status);
      await sweep(harness, job);
      expect(await answers(harness, job)).toEqual([]);
    }
    expect(await statuses()).toEqual({ active: 4 });
  });

  it('can be undone; otherwise its tombstones are purged after the retention', async () => {
    await run([people(0, 3)], { at: '2026-01-01T00:00:00Z' });
    const job = await run([people(0, 2)], { at: '2026-01-02T00:00:00Z' });
    const { result } = await harness.operate('job.undo', { job_id: job, preview: false });
    expect(result).toMatchObject({ records_restored: 1, restored: ['p2'] });
    expect(await statuses()).toEqual({ active: 3 });
    await run([people(0, 2)], { at: '2026-01-03T00:00:00Z' });
    await applyDue(harness.database, harness.tenant, new Date('2026-02-03T00:00:00Z'));
    expect(await statuses()).toEqual({ active: 2 });
    expect(
      await harness.fixture.rows(`select from sync_plan_entries where external_id = 'p2' and tenant_id = $1`, [
        harness.tenant,
      ]),
    ).toEqual([]);
  });

  it('drops the seen records of a job when the job has ended', async () => {
    const job = await run([people(0, 3)]);
    const seen = () => harness.fixture.rows('select from seen_records where job_id = $1', [job]);
    expect(await seen()).toHaveLength(1);
    await clearEndedRuns(harness.database, { id: newUuid(), tenant_id: harness.tenant, data: { job_id: job } });
    expect(await seen()).toEqual([]);
  });
});

describe('a batch that is announced twice', () => {
  it('is applied once, and its second answer counts the records as unchanged', async () => {
    const job = await harness.fixture.job(harness.tenant, hr, 'running');
    const message = await harness.fixture.batch(harness.tenant, hr, job, 0, people(0, 3));
    await applyBatch(harness.database, message);
    await applyBatch(harness.database, { ...message, id: newUuid() });
    const applied = await harness.fixture.rows<{ data: object }>(
      `select message::jsonb -> 'data' as data from outbox
        where type = 'sync.batch.applied' and message::jsonb #>> '{data,job_id}' = $1 order by id`,
      [job],
    );
    expect(applied.map(({ data }) => data)).toMatchObject([
      { created: 3, updated: 0, unchanged: 0 },
      { created: 0, updated: 0, unchanged: 3 },
    ]);
  });
});

describe('the safeguard against failed records', () => {
  const failed = (from: number, to: number) =>
    people(from, to).map(({ external_id }) => ({ external_id, message: 'hire_date is not a date' }));

  it.each(['full', 'changes'] as const)('stops a %s run that left out 99 of 100 records', async (mode) => {
    await run([people(0, 100)]);
    const job = await run([people(0, 1)], { mode, errors: failed(1, 100) });
    const note = 'quarantined: 99 of 100 records were left out, more than 50 % and more than 10';
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.held', note }]);
    await release(job);
    expect((await answers(harness, job)).at(-1)).toEqual({ type: 'sync.sweep.ended', deleted: 0 });
    expect(await statuses()).toEqual({ active: 100 });
  });

  it('sets aside the deletions of the run, however few', async () => {
    await run([people(0, 100)]);
    const job = await run([people(0, 1)], { errors: failed(1, 98) });
    expect((await answers(harness, job)).map(({ type }) => type)).toEqual(['sync.sweep.held']);
    expect(await statuses()).toEqual({ active: 100 });
    await release(job);
    expect(await statuses()).toEqual({ active: 98, deleted: 2 });
  });

  it('reports a released run without all ids as incomplete', async () => {
    await run([people(0, 100)]);
    const errors = failed(1, 100).map(({ message }) => ({ message }));
    const job = await run([people(0, 1)], { errors });
    await release(job);
    const note = 'nothing was deleted: 99 records without an id could be any of the records that were not listed';
    expect((await answers(harness, job)).at(-1)).toEqual({ type: 'sync.sweep.ended', deleted: 0, note });
  });

  it('uses the bounds of the connector, and lets a dry run end with the reason', async () => {
    await run([people(0, 100)]);
    const dry = await run([people(0, 1)], { dryRun: true, errors: failed(1, 100) });
    expect(await answers(harness, dry)).toMatchObject([
      { type: 'sync.sweep.ended', note: expect.stringMatching(/99 of 100/) },
    ]);
    await harness.fixture.rows('update connectors set safeguard = $2 where id = $1', [hr, { max_failed_percent: 100 }]);
    const job = await run([people(0, 1)], { errors: failed(1, 100) });
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
  });
});

describe('the deletion safeguard', () => {
  it('stops 25 of 100 deletions, and applies them when an operator releases the job', async () => {
    await run([people(0, 100)]);
    const job = await run([people(0, 75)]);
    const note = 'quarantined: the run would delete 25 of 100 records, more than 10 % and more than 20';
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.held', note }]);
    expect(await statuses()).toEqual({ active: 100 });
    await release(job);
    expect((await answers(harness, job)).at(-1)).toEqual({ type: 'sync.sweep.ended', deleted: 25 });
    expect(await statuses()).toEqual({ active: 75, deleted: 25 });
    await endJob(harness, job);
    const next = await run([people(0, 50)]);
    expect((await answers(harness, next)).map(({ type }) => type)).toEqual(['sync.sweep.held']);
  });

  it('counts all runs of a day as one, back to the last release by an operator', async () => {
    const last = async (to: number) => {
      const job = await run([[...people(0, to - 5), ...people(to - 5, to)]]);
      return { job, answer: (await answers(harness, job)).at(-1) };
    };
    await last(100);
    expect(await last(85)).toMatchObject({ answer: { deleted: 15 } });
    const held = await last(79);
    expect(held.answer?.note).toContain('delete 6, after 15 within a day, of 100 records');
    await release(held.job);
    await endJob(harness, held.job);
    await harness.fixture.rows(`update sync_jobs set decision = '{"action":"released"}' where id = $1`, [held.job]);
    expect(await last(70)).toMatchObject({ answer: { deleted: 9 } });
    await harness.fixture.rows(`update sync_jobs set completed_at = completed_at - interval '25 hours'`);
    expect(await last(55)).toMatchObject({ answer: { deleted: 15 } });
  });

  it('does not count records twice that have come back on the same day', async () => {
    await run([people(0, 24)]);
    await run([people(0, 19)]);
    await run([people(0, 24)]);
    const job = await run([[...people(0, 17), ...people(17, 24, 'inactive')]]);
    expect((await answers(harness, job)).at(-1)?.note).toContain('disable 7 of 24 records');
  });

  it.each([
    [0, 'sync.sweep.ended'],
    [1, 'sync.sweep.ended'],
    [3, 'sync.sweep.held'],
  ])('counts the runs of the last %s hours if the connector says so', async (hours, answer) => {
    await harness.fixture.rows('update connectors set safeguard = $2 where id = $1', [hr, { within_hours: hours }]);
    await run([people(0, 100)]);
    await run([people(0, 85)]);
    await harness.fixture.rows(`update sync_jobs set completed_at = completed_at - interval '2 hours'`);
    const job = await run([people(0, 70)]);
    expect((await answers(harness, job)).at(-1)?.type).toBe(answer);
  });

  it('stops a run that would make too many records active again, and applies nothing of it', async () => {
    await run([[...people(0, 70), ...people(70, 100, 'inactive')]]);
    const job = await run([[...people(0, 100), row('p100', {})]]);
    expect(await answers(harness, job)).toEqual([
      {
        type: 'sync.sweep.held',
        note: 'quarantined: the run would enable 30 of 100 records, more than 10 % and more than 20',
      },
    ]);
    expect(await statuses()).toMatchObject({ inactive: 30 });
    await release(job);
    expect(await statuses()).toEqual({ active: 101 });
    expect((await types(job)).filter((type) => type === 'lifecycle.rejoiner')).toHaveLength(30);
  });

  it('stops a run that would enable too many accounts', async () => {
    const logins = await harness.fixture.connector(harness.tenant, { records: 'account' });
    const accounts = (status: string) => Array.from({ length: 30 }, (_, nth) => row(`a${nth}`, { status }));
    await run([accounts('disabled')], { connector: logins });
    const job = await run([accounts('active')], { connector: logins });
    expect(await answers(harness, job)).toMatchObject([
      { type: 'sync.sweep.held', note: expect.stringContaining('enable 30 of 30 records') },
    ]);
    expect(await statuses()).toEqual({ disabled: 30 });
  });

  it('counts the known records as before the run, regardless of repeated entries', async () => {
    await run([people(0, 100)]);
    const renamed = [row('p0', { first_name: 'A' })];
    const job = await run([renamed, [row('p0', { first_name: 'B' })], people(1, 75)]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/delete 25 of 100/) }]);
  });

  it('stops a run in which all external ids have changed', async () => {
    await run([people(0, 100)]);
    const job = await run([people(1_000, 1_900)]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/delete 100 of 100/) }]);
  });

  it('stops a run of an empty source, regardless of the number of records', async () => {
    await run([people(0, 3)]);
    const job = await run([]);
    expect(await answers(harness, job)).toMatchObject([
      { type: 'sync.sweep.held', note: expect.stringMatching(/source is empty/) },
    ]);
    expect(await statuses()).toEqual({ active: 3 });
  });

  it('sets aside all disables of a run that exceeds the bound, and applies its other changes', async () => {
    await run([people(0, 100)]);
    const job = await run([
      people(0, 15, 'inactive'),
      [...people(15, 40, 'suspended'), ...people(100, 101)],
      people(40, 100),
    ]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/disable 40 of 100 records/) }]);
    expect(await statuses()).toEqual({ active: 101 });
    expect(await types(job)).toEqual(['identity.created', 'user.created', 'lifecycle.joiner']);
    expect(await planned(job)).toEqual([{ action: 'disable', done: false, count: 40 }]);
    await release(job);
    expect(await statuses()).toEqual({ active: 61, inactive: 15, suspended: 25 });
    expect(await planned(job)).toEqual([{ action: 'disable', done: true, count: 40 }]);
  });

  it('stops a run that moves the hire dates of too many active people into the future', async () => {
    const hired = (from: number, to: number, year: number) =>
      people(from, to).map(({ external_id, fields }) => ({
        external_id,
        fields: { ...fields, hire_date: [`${year}-01-01T00:00:00.000Z`] },
      }));
    await run([[...hired(0, 100, 2020), ...hired(100, 105, 2900)]]);
    const job = await run([[...hired(0, 30, 2901), ...hired(30, 100, 2020), ...hired(100, 105, 2901)]]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/disable 30 of 105 records/) }]);
    expect(await statuses()).toEqual({ active: 100, pending: 5 });
    await release(job);
    expect(await statuses()).toEqual({ active: 70, pending: 35 });
  });

  it.each(['full', 'changes'] as const)(
    'leaves the directory unchanged when runs of mode %s that disable or delete all people are cancelled',
    async (mode) => {
      await run([people(0, 200)]);
      const records = () =>
        harness.fixture.rows('select r::text from source_records r where tenant_id = $1 order by id', [harness.tenant]);
      const before = await records();
      const all = [people(0, 70, 'inactive'), people(70, 140, 'deleted'), people(140, 200, 'inactive')];
      for (let times = 0; times < 3; times += 1) {
        const job = await run(all, { mode });
        const note = expect.stringMatching(/delete 70 of 200 .* and disable 130 of 200/);
        expect(await answers(harness, job)).toMatchObject([{ type: 'sync.sweep.held', note }]);
        await endJob(harness, job, 'cancelled');
        expect(await records()).toEqual(before);
        expect(await types(job)).toEqual([]);
      }
      const released = await run(all, { mode });
      await release(released);
      expect(await statuses()).toEqual({ inactive: 130, deleted: 70 });
    },
  );

  it('lets a run within the bound disable and delete at its end', async () => {
    await run([people(0, 100)]);
    const job = await run([people(0, 20, 'inactive'), people(20, 30, 'deleted'), people(30, 95)]);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 15 }]);
    expect(await statuses()).toEqual({ active: 65, inactive: 20, deleted: 15 });
    expect((await types(job)).filter((type) => type === 'lifecycle.leaver')).toHaveLength(35);
  });

  it('disables no record in a run that fails or is cancelled before its end, and disables them in the next run', async () => {
    await run([people(0, 30)]);
    for (const status of ['failed', 'cancelled']) {
      const job = await appliedRun(harness, hr, [people(0, 5, 'inactive')]);
      await endJob(harness, job, status);
      await sweep(harness, job);
      expect(await statuses()).toEqual({ active: 30 });
    }
    await run([people(0, 5, 'inactive'), people(5, 30)]);
    expect(await statuses()).toEqual({ active: 25, inactive: 5 });
  });

  it('counts and disables a repeated record as its most active entry says, in whichever order the batches are applied', async () => {
    await run([people(0, 100)]);
    const batches = [people(0, 30, 'inactive'), people(0, 29), people(28, 100)];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
    ]) {
      await run(batches, { order });
      expect(await statuses()).toEqual({ active: 100 });
      await run([people(2, 30), people(1, 100), people(0, 2, 'suspended'), people(0, 1, 'inactive')], {
        order: [3, 2, 1, 0],
      });
      expect(await statuses()).toEqual({ active: 99, suspended: 1 });
      await run([people(0, 100)]);
    }
  });

  it('keeps the value of the last entry of a repeated record, in whichever order and mode the batches are applied', async () => {
    const titled = (job_title: string) => [row('p0', { email: 'p0@x.org', job_title })];
    const stored = async () => (await harness.record('p0')).fields;
    await run([titled('last')]);
    for (const mode of ['full', 'changes'] as const) {
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const job = await run([titled('first'), titled('last')], { mode, order });
        expect([mode, order, await stored()]).toMatchObject([mode, order, { job_title: ['last'] }]);
        if (order[0] === 1) expect(await types(job)).not.toContain('user.updated');
      }
    }
  });

  it('reads a repeated record again whose last entry was compared before an earlier one was applied', async () => {
    const titled = (job_title: string) => row('p0', { email: 'p0@x.org', job_title });
    await run([[titled('last')]]);
    const job = await appliedRun(harness, hr, [[titled('first')], [row('p1', { email: 'p1@x.org' })]]);
    const read = () =>
      harness.fixture.rows(
        `select message::jsonb #> '{data,external_ids}' as ids from outbox
          where type = 'sync.record.overtaken' and message::jsonb #>> '{data,job_id}' = $1`,
        [job],
      );
    await harness.fixture.rows(
      `update seen_records set record_ids = record_ids ||
              (select id from source_records where connector_id = $2 and external_id = 'p0')
        where job_id = $1 and seq = 1`,
      [job, hr],
    );
    await harness.fixture.rows('update sync_jobs set records_read = 3, records_applied = 3 where id = $1', [job]);
    await sweep(harness, job);
    expect(await read()).toEqual([{ ids: ['p0'] }]);
  });

  it('uses the last change of a record in an incremental run', async () => {
    await run([people(0, 30)]);
    await run([people(0, 30, 'inactive'), people(1, 30)], { mode: 'changes' });
    expect(await statuses()).toEqual({ active: 29, inactive: 1 });
  });

  it('uses the last entry of a record in a batch that is divided because of another record', async () => {
    await run([people(0, 4)]);
    const unusable = row('bad', { employee_number: 'E9', first_name: 'A\0nn' });
    await run([[...people(0, 2, 'inactive'), unusable, ...people(1, 4)]]);
    expect(await statuses()).toEqual({ active: 3, inactive: 1 });
  });

  it('leaves out a disable that cannot be applied, and applies the others', async () => {
    await run([people(0, 4)]);
    const unusable = row('p0', { employee_number: 'E0', first_name: 'A\0nn', status: 'inactive' });
    const job = await run([[unusable, ...people(1, 2, 'inactive'), ...people(2, 4)]], { mode: 'changes' });
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 0 }]);
    expect(await statuses()).toEqual({ active: 3, inactive: 1 });
  });

  it('ignores a disable of a record that was read alone in the meantime', async () => {
    await run([people(0, 4)]);
    const job = await appliedRun(harness, hr, [[...people(0, 2, 'inactive'), ...people(2, 4)]]);
    await harness.fixture.rows(`update sync_jobs set started_at = now() - interval '1 minute' where id = $1`, [job]);
    const alone = await harness.fixture.job(harness.tenant, hr);
    await harness.fixture.rows(
      `update sync_jobs set mode = 'record', external_id = 'p0', last_record_at = now() where id = $1`,
      [alone],
    );
    await applyBatch(harness.database, await harness.fixture.batch(harness.tenant, hr, alone, 0, people(0, 1)));
    await sweep(harness, job);
    expect((await harness.record('p0')).status).toBe('active');
    expect((await harness.record('p1')).status).toBe('inactive');
  });

  it('counts a record that the source reports as deleted as a deletion', async () => {
    await run([people(0, 100)]);
    const job = await run([people(0, 15, 'deleted'), people(20, 100)], {});
    expect((await answers(harness, job)).at(-1)).toMatchObject({ type: 'sync.sweep.ended', deleted: 20 });
    const more = await run([people(0, 15, 'deleted'), people(20, 50, 'deleted'), people(50, 100)]);
    expect(await answers(harness, more)).toMatchObject([
      { note: expect.stringMatching(/delete 30, after 20 within a day, of 100/) },
    ]);
    expect(await statuses()).toEqual({ active: 80, deleted: 20 });
  });

  it('uses the bounds of the connector', async () => {
    await harness.fixture.rows(
      `update connectors set safeguard = '{"max_deleted_records": 0, "max_deleted_percent": 50}' where id = $1`,
      [hr],
    );
    await run([people(0, 4)]);
    const one = await run([people(0, 2)]);
    expect((await answers(harness, one)).at(-1)).toMatchObject({ deleted: 2 });
    const all = await run([people(10, 11)]);
    expect(await answers(harness, all)).toMatchObject([{ type: 'sync.sweep.held' }]);
  });
});
