import type { SourceRecord } from '@idsync/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, sweep, wholeRun } from '../../test/whole-run.js';

let harness: Harness;
let hr: string;

beforeAll(async () => {
  harness = await Harness.create();
});

beforeEach(async () => {
  await harness.newTenant();
  hr = await harness.fixture.connector(harness.tenant);
});

afterEach(async () => expect(await directoryFaults(harness.fixture, harness.tenant)).toEqual([]));
afterAll(() => harness?.close());

const other = row('2', { employee_number: '20', display_name: 'Eve Moor', email: 'eve@x.org' });
const ann = row('1', { employee_number: '17', display_name: 'Ann Lee', email: 'ann@x.org' });
const karl = row('1', { employee_number: '18', display_name: 'Karl Berg', email: 'karl@x.org' });

async function run(records: SourceRecord[]): Promise<string> {
  const job = await wholeRun(harness, hr, [records]);
  if ((await answers(harness, job)).at(-1)?.type === 'sync.sweep.ended') await endJob(harness, job);
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

const shown = async () => {
  const rows = await harness.fixture.rows<{ text: string }>(
    `select regexp_replace(external_id, 'usr_[^)]+', 'usr') || ' ' || status || ' ' || (fields -> 'display_name' ->> 0) as text
       from source_records where tenant_id = $1 order by id`,
    [harness.tenant],
  );
  return rows.map(({ text }) => text);
};

describe('a first run that lists two people under one external id', () => {
  it('creates the one whose row counts', async () => {
    await wholeRun(harness, hr, [[ann, other], [karl]]);
    expect(await shown()).toEqual(['1 active Karl Berg', '2 active Eve Moor']);
  });
});

describe('a run that lists another person under a known external id', () => {
  it('is quarantined and changes nothing', async () => {
    await run([ann, other]);
    const job = await run([karl, other]);
    expect(await answers(harness, job)).toEqual([
      { type: 'sync.sweep.held', note: 'quarantined: the run would list other people under 1 of 2 ids' },
    ]);
    expect(await shown()).toEqual(['1 active Ann Lee', '2 active Eve Moor']);
  });

  it('is quarantined if the source has no numbers and the address differs too', async () => {
    await run([row('1', { display_name: 'Ann Lee', email: 'ann@x.org' }), other]);
    const job = await run([row('1', { display_name: 'Karl Berg', email: 'karl@x.org' }), other]);
    expect(await answers(harness, job)).toEqual([
      { type: 'sync.sweep.held', note: 'quarantined: the run would list other people under 1 of 2 ids' },
    ]);
    await release(job);
    expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
  });

  it('deletes the earlier user and creates another person when it is released', async () => {
    await run([ann, other]);
    const before = await harness.identityOf('1');
    const job = await run([karl, other]);
    await release(job);
    expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
    expect(await harness.identityOf('1')).not.toBe(before);
    const events = await harness.fixture.rows<{ type: string }>(
      `select type from events where job_id = $1 and type like 'lifecycle.%' order by type`,
      [job],
    );
    expect(events.map(({ type }) => type)).toEqual(['lifecycle.joiner', 'lifecycle.leaver']);
    await run([karl, other]);
    expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
  });

  it('is quarantined if the earlier user is deleted already', async () => {
    await run([ann, other]);
    await run([other]);
    const job = await run([karl, other]);
    expect((await answers(harness, job)).at(-1)?.type).toBe('sync.sweep.held');
    await release(job);
    expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
  });

  it('deletes the other person when it is undone, and keeps the earlier user', async () => {
    await run([ann, other]);
    const job = await run([karl, other]);
    await release(job);
    await harness.operate('job.undo', { job_id: job, preview: false });
    expect(await shown()).toEqual(['1 (formerly usr) active Ann Lee', '2 active Eve Moor', '1 deleted Karl Berg']);
  });

  it.each([
    ['the number', { employee_number: '17' }],
    ['the address', { email: 'ann@x.org' }],
    ['the given name', { display_name: 'Ann Berg' }],
  ])('is the same person if %s is the same', async (_, same) => {
    await run([ann, other]);
    const before = await harness.identityOf('1');
    const fields = Object.fromEntries(Object.entries(same).map(([field, value]) => [field, [value]]));
    await run([{ ...karl, fields: { ...karl.fields, ...fields } }, other]);
    expect(await harness.identityOf('1')).toBe(before);
    expect(await shown()).toHaveLength(2);
  });
});
