import { newUuid, type RecordKind, type SourceRecord } from '@idsync/contracts';
import { type Database, lockReferences, type Transaction } from '@idsync/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';
import { applyBatch } from '../apply-batch.js';
import { applyDue } from '../apply-due.js';
import { graceMs } from '../lifecycle.js';
import { forgetRuns } from './forget-runs.js';
import { sweepJob } from './sweep-job.js';

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

/** People `p0`, `p1`, …; `said` is the status their source gives. */
const people = (from: number, to: number, said?: string): SourceRecord[] =>
  Array.from({ length: to - from }, (_, at) => from + at).map((n) =>
    row(`p${n}`, { employee_number: `E${n}`, email: `p${n}@x.org`, ...(said !== undefined && { status: said }) }),
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

async function release(job: string): Promise<void> {
  await harness.fixture.rows(
    `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
    [job],
  );
  await sweep(harness, job);
}

describe('a sweep', () => {
  it('deletes who is no longer listed, keeps them as tombstones, and tells it', async () => {
    await run([people(0, 3), people(3, 5)]);
    const job = await run([people(0, 2), people(3, 5)]);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
    expect(await statuses()).toEqual({ active: 4, deleted: 1 });
    expect(await types(job)).toEqual(['user.deleted', 'identity.deleted', 'lifecycle.leaver']);
    const gone = await harness.record('p2');
    expect(gone.fields).toMatchObject({ email: ['p2@x.org'] });
  });

  it('revives who is listed again, as the same person', async () => {
    await run([people(0, 3)]);
    const before = await harness.identityOf('p2');
    await run([people(0, 2)]);
    const job = await run([people(0, 3)]);
    expect(await statuses()).toEqual({ active: 3 });
    expect(await harness.identityOf('p2')).toBe(before);
    expect(await types(job)).toContain('lifecycle.rejoiner');
  });

  it('takes who is listed again but switched off for inactive, from then on', async () => {
    await run([people(0, 3)]);
    await run([people(0, 2)]);
    const job = await run([[...people(0, 2), ...people(2, 3, 'inactive')]]);
    expect(await statuses()).toEqual({ active: 2, inactive: 1 });
    expect(await types(job)).toEqual(['user.status_changed', 'identity.status_changed']);
    await applyDue(harness.database, harness.tenant, new Date(Date.now() + graceMs + 60_000));
    expect(await statuses()).toEqual({ active: 2, deleted: 1 });
    await run([[...people(0, 2), ...people(2, 3, 'inactive').map(renamed)]]);
    expect(await statuses()).toEqual({ active: 2, deleted: 1 });
  });

  it('takes a record whose id changed and whose mail did not for the same person', async () => {
    const ren = (id: string) => row(id, { email: 'ren@x.org', first_name: 'Ren' });
    await run([[ren('cn=ren,ou=a'), ...people(0, 3)]]);
    const before = await harness.identityOf('cn=ren,ou=a');
    const job = await run([[...people(0, 3), ren('cn=ren,ou=b')]]);
    expect(await harness.identityOf('cn=ren,ou=b')).toBe(before);
    expect(await harness.identityOf('cn=ren,ou=a')).toBe(before);
    expect(await statuses()).toEqual({ active: 4, deleted: 1 });
    expect(await types(job)).toContain('identity.merged');
    expect(await directoryFaults(harness.fixture, harness.tenant)).toEqual([]);
    await run([[...people(0, 3), ren('cn=ren,ou=b')]]);
    expect(await harness.identityOf('cn=ren,ou=b')).toBe(before);
  });

  it('gives the mail of who left to nobody but a record that the same run brought, and whose number does not differ', async () => {
    const of = (id: string, number?: string) =>
      row(id, { email: 'desk@x.org', ...(number !== undefined && { employee_number: number }) });
    await run([[of('one'), of('two')]]);
    const [one, two] = [await harness.identityOf('one'), await harness.identityOf('two')];
    await run([[of('two')]]);
    expect([await harness.identityOf('one'), await harness.identityOf('two')]).toEqual([one, two]);
    await run([[of('two', '2')]]);
    await run([[of('three', '3')]]);
    expect(await harness.identityOf('three')).not.toBe(two);
    expect(await directoryFaults(harness.fixture, harness.tenant)).toEqual([]);
  });

  it('of machines waits for who brings people at that moment, as their batches do', async () => {
    const apps = await harness.fixture.connector(harness.tenant, { records: 'machine_identity' });
    await run([[row('a', { owned_by: 'p0' }), row('b', { owned_by: 'p0' })]], { connector: apps });
    const job = await appliedRun(harness, apps, [[row('a', { owned_by: 'p0' })]]);
    let swept: Promise<void> | undefined;
    await harness.database.transaction(harness.tenant, async (tx) => {
      await lockReferences(tx, harness.tenant, 'shared');
      swept = sweep(harness, job);
      await harness.fixture.somebodyWaits();
    });
    await swept;
    expect(await statuses()).toMatchObject({ decommissioned: 1 });
  });

  it('changes nothing when everybody is still there, and writes to no record', async () => {
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
  ])('deletes an %s, which is then %s and stays so when its owner changes', async (records, gone) => {
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

  it('tells of people that several batches named, changed or not', async () => {
    await run([people(0, 4)]);
    const job = await run([people(0, 3), [...people(1, 4), row('new', { email: 'new@x.org' })], people(1, 2)]);
    const error = (external_id: string) => ({ external_id, message: 'stands in the source more than once' });
    expect(await answers(harness, job)).toEqual([
      { type: 'sync.sweep.ended', deleted: 0, repeated: 3, errors: [error('p1'), error('p2')] },
    ]);
    expect(await statuses()).toEqual({ active: 5 });
  });

  it('leaves the records of other connectors alone', async () => {
    const other = await harness.fixture.connector(harness.tenant);
    await run([people(0, 3)]);
    await run([people(5, 8)], { connector: other });
    await run([people(0, 2)]);
    expect(await statuses()).toEqual({ active: 5, deleted: 1 });
  });

  it('is over once, however often it is asked for', async () => {
    await run([people(0, 3)]);
    const job = await wholeRun(harness, hr, [people(0, 2)]);
    const events = await types(job);
    await sweep(harness, job);
    await endJob(harness, job);
    await sweep(harness, job);
    expect(await types(job)).toEqual(events);
    expect(await answers(harness, job)).toEqual(Array(2).fill({ type: 'sync.sweep.ended', deleted: 1 }));
  });

  it('goes on where a killed directory left it, whichever transaction it died in', async () => {
    await run([people(0, 3)]);
    const job = await appliedRun(harness, hr, [people(5, 6)]);
    const message = { id: newUuid(), tenant_id: harness.tenant, data: { job_id: job } };
    let deaths = 0;
    for (let diesIn = 1; diesIn <= 3; diesIn += 1) {
      let transactions = 0;
      const dying = Object.assign(Object.create(harness.database) as Database, {
        transaction: <T>(tenant: string, work: (tx: Transaction) => Promise<T>) =>
          harness.database.transaction(tenant, async (tx) => {
            const result = await work(tx);
            transactions += 1;
            if (transactions === diesIn) throw new Error('killed');
            return result;
          }),
      });
      await sweepJob(dying, message).catch(() => {
        deaths += 1;
      });
    }
    await sweep(harness, job);
    expect(deaths).toBe(3);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 3 }]);
    expect((await types(job)).filter((type) => type === 'user.deleted')).toHaveLength(3);
    expect(await statuses()).toEqual({ active: 1, deleted: 3 });
  });

  it('spares a record that its source could not read, by its id', async () => {
    await run([people(0, 4)]);
    const job = await run([people(0, 2)], { errors: [{ external_id: 'p2', message: 'hire_date is not a date' }] });
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
    expect((await harness.record('p2')).status).toBe('active');
    expect((await harness.record('p3')).status).toBe('deleted');
  });

  it.each([
    { message: '2 columns where the header has 3' },
    { external_id: 'p2', message: 'has a second dn in line 7', hides_others: true as const },
  ])('deletes nothing when a record that was left out could be anybody, and says so', async (error) => {
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

  it('can be undone, and is purged in the end', async () => {
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

  it('forgets what a job saw when the job has ended', async () => {
    const job = await run([people(0, 3)]);
    const seen = () => harness.fixture.rows('select from seen_records where job_id = $1', [job]);
    expect(await seen()).toHaveLength(1);
    await forgetRuns(harness.database, { id: newUuid(), tenant_id: harness.tenant, data: { job_id: job } });
    expect(await seen()).toEqual([]);
  });
});

describe('a batch that is announced twice', () => {
  it('is applied once, and answered as unchanged', async () => {
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

describe('the safeguard', () => {
  it('holds 25 of 100 deletions back, and lets them through when an operator releases them', async () => {
    await run([people(0, 100)]);
    const job = await run([people(0, 75)]);
    const note = 'held back: it would delete 25 of 100 records, more than 10 % and more than 20';
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.held', note }]);
    expect(await statuses()).toEqual({ active: 100 });
    await release(job);
    expect((await answers(harness, job)).at(-1)).toEqual({ type: 'sync.sweep.ended', deleted: 25 });
    expect(await statuses()).toEqual({ active: 75, deleted: 25 });
    await endJob(harness, job);
    const next = await run([people(0, 50)]);
    expect((await answers(harness, next)).map(({ type }) => type)).toEqual(['sync.sweep.held']);
  });

  it('counts people as known before, however often the run named them', async () => {
    await run([people(0, 100)]);
    const renamed = [row('p0', { first_name: 'A' })];
    const job = await run([renamed, [row('p0', { first_name: 'B' })], people(1, 75)]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/delete 25 of 100/) }]);
  });

  it('is not fooled by a source that names everybody anew', async () => {
    await run([people(0, 100)]);
    const job = await run([people(1_000, 1_900)]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/delete 100 of 100/) }]);
  });

  it('holds an empty source back, however few people there are', async () => {
    await run([people(0, 3)]);
    const job = await run([]);
    expect(await answers(harness, job)).toMatchObject([
      { type: 'sync.sweep.held', note: expect.stringMatching(/source is empty/) },
    ]);
    expect(await statuses()).toEqual({ active: 3 });
  });

  it('applies disables up to the bound and holds the others back, whatever else their batch says', async () => {
    await run([people(0, 100)]);
    const job = await run([
      people(0, 15, 'inactive'),
      [...people(15, 40, 'suspended'), ...people(100, 101)],
      people(40, 100),
    ]);
    expect(await answers(harness, job)).toMatchObject([{ note: expect.stringMatching(/disable 40 of 100 records/) }]);
    expect(await statuses()).toEqual({ active: 81, inactive: 15, suspended: 5 });
    await release(job);
    expect(await statuses()).toEqual({ active: 61, inactive: 15, suspended: 25 });
  });

  it('counts what the source says is deleted as a deletion', async () => {
    await run([people(0, 100)]);
    const job = await run([people(0, 15, 'deleted'), people(20, 100)], {});
    expect((await answers(harness, job)).at(-1)).toMatchObject({ type: 'sync.sweep.ended', deleted: 5 });
    const more = await run([people(0, 15, 'deleted'), people(20, 50, 'deleted'), people(50, 100)]);
    expect(await answers(harness, more)).toMatchObject([{ note: expect.stringMatching(/delete 30 of 80/) }]);
    expect(await statuses()).toEqual({ active: 60, deleted: 40 });
  });

  it('is as its connector sets it', async () => {
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
