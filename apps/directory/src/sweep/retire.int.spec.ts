import { newUuid, type SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, sweep, wholeRun } from '../../test/whole-run.js';
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

const people = (count: number): SourceRecord[] =>
  Array.from({ length: count }, (_, n) => row(`p${n}`, { employee_number: `E${n}`, email: `p${n}@x.org` }));

async function run(records: SourceRecord[]): Promise<string> {
  const job = await wholeRun(harness, hr, [records]);
  await endJob(harness, job);
  return job;
}

/** Deletes the connector and inserts a retirement as the sync-worker leaves it for the sweep. */
async function retirement(): Promise<string> {
  await harness.fixture.rows('update connectors set deleted_at = now() where id = $1', [hr]);
  const job = await harness.fixture.job(harness.tenant, hr, 'running');
  await harness.fixture.rows(`update sync_jobs set retires = true, mode = 'full', batches_total = 0 where id = $1`, [
    job,
  ]);
  return job;
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await harness.fixture.rows<{ status: string; count: number }>(
    'select status, count(*)::int from identities where tenant_id = $1 group by status',
    [harness.tenant],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

describe('the retirement of a deleted connector', () => {
  it('deletes its records within the deletion safeguard, with the events of leavers', async () => {
    await run(people(3));
    const job = await retirement();
    await sweep(harness, job);
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 3 }]);
    expect(await statuses()).toEqual({ deleted: 3 });
  });

  it('is quarantined beyond the deletion safeguard, and deletes the records when it is released', async () => {
    await run(people(25));
    const job = await retirement();
    await sweep(harness, job);
    expect(await answers(harness, job)).toEqual([
      {
        type: 'sync.sweep.held',
        note: 'quarantined: the run would delete 25 of 25 records, more than 10 % and more than 20',
      },
    ]);
    expect(await statuses()).toEqual({ active: 25 });
    await harness.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(harness, job);
    expect(await statuses()).toEqual({ deleted: 25 });
  });

  it('is quarantined if it takes access from more people of a small company than a run may', async () => {
    await run(people(12));
    const other = await harness.fixture.connector(harness.tenant, { priority: 200 });
    await endJob(harness, await wholeRun(harness, other, [people(7)]));
    await sweep(harness, await retirement());
    expect(await statuses()).toEqual({ active: 7, deleted: 5 });
    await harness.newTenant();
    hr = await harness.fixture.connector(harness.tenant);
    await run(people(12));
    const job = await retirement();
    await sweep(harness, job);
    const note = 'quarantined: the run would delete 12 of 12 records, more than 25 % and more than 5';
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.held', note }]);
    expect(await statuses()).toEqual({ active: 12 });
  });

  it('continues after the process was killed between two chunks', async () => {
    await harness.fixture.rows(`update connectors set safeguard = '{"max_deleted_percent":100}' where id = $1`, [hr]);
    await run(people(600));
    const job = await retirement();
    const dying = {
      transaction: (...[tenant, work]: Parameters<typeof harness.database.transaction>) => {
        chunks += 1;
        if (chunks > 2) throw new Error('killed');
        return harness.database.transaction(tenant, work);
      },
    } as unknown as typeof harness.database;
    let chunks = 0;
    const message = { id: newUuid(), tenant_id: harness.tenant, data: { job_id: job } };
    await expect(sweepJob(dying, message)).rejects.toThrow('killed');
    expect(await statuses()).toEqual({ active: 100, deleted: 500 });
    await sweep(harness, job);
    expect(await statuses()).toEqual({ deleted: 600 });
    expect(await answers(harness, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 600 }]);
  });

  it('does not wait for a held job of the connector, whose release then changes nothing', async () => {
    const all = people(30);
    await run(all);
    const held = await wholeRun(harness, hr, [
      all.map(({ external_id, fields }) => ({ external_id, fields: { ...fields, status: ['inactive'] } })),
    ]);
    expect(await answers(harness, held)).toMatchObject([{ type: 'sync.sweep.held' }]);
    await endJob(harness, held, 'quarantined');
    await harness.fixture.rows(`update connectors set safeguard = '{"max_deleted_percent":100}' where id = $1`, [hr]);
    await sweep(harness, await retirement());
    expect(await statuses()).toEqual({ deleted: 30 });
    await harness.fixture.rows(`update sync_jobs set status = 'completed' where status = 'running'`);
    await harness.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [held],
    );
    await sweep(harness, held);
    expect(await statuses()).toEqual({ deleted: 30 });
  });

  it('leaves people of another source active', async () => {
    await run(people(3));
    const other = await harness.fixture.connector(harness.tenant);
    await endJob(harness, await wholeRun(harness, other, [people(1)]));
    await sweep(harness, await retirement());
    expect(await statuses()).toEqual({ active: 1, deleted: 2 });
  });
});
