import { newUuid } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { BatchShares, shareOf } from './batch-shares.js';
import { claimJob } from './claim-job.js';
import { applyProgress } from './job-messages.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const fixture = SyncFixture.ofFile();

beforeEach(() => fixture.rows.rows('truncate outbox, service_processes, sync_jobs cascade'));

async function startProcesses(count: number, seenAt = 'now()'): Promise<void> {
  await fixture.rows.rows(
    `insert into service_processes (id, service, version, host, started_at, seen_at, broker_connected, outbox_messages, outbox_lag_seconds)
     select gen_random_uuid(), 'directory', '1', 'host', now(), ${seenAt}, true, 0, 0 from generate_series(1, $1::integer)`,
    [count],
  );
}

/** Reads the source of a new job of a new tenant completely. Returns its id. */
async function readJob(pages: number): Promise<string> {
  const job = await fixture.queueAlone();
  const context = { ...fixture.context(listSource(10 * pages)), shares: new BatchShares(fixture.database) };
  const claimed = await claimJob(context, job);
  if (!claimed) throw new Error('not claimed');
  await runJob(context, claimed, new RunControl());
  return job.id;
}

describe('the batches of a large job', () => {
  it.each([
    [0, 3],
    [1, 3],
    [2, 5],
  ])(
    'that precede one of a small job are those that %s processes apply at once, and one more',
    async (count, ahead) => {
      await startProcesses(count);
      await startProcesses(3, `now() - interval '101 seconds'`);
      const large = await readJob(15);
      const small = await readJob(1);
      const announced = (await fixture.announced()).map(({ data }) => [data.job_id, data.seq]);
      expect(announced).toEqual([...Array.from({ length: ahead }, (_, seq) => [large, seq]), [small, 0]]);
    },
  );

  it('are announced in turn, each once, as the earlier ones are applied', async () => {
    const large = await readJob(15);
    const worker = { database: fixture.database, shares: new BatchShares(fixture.database) };
    const announced: number[] = [];
    for (let ready = await fixture.announced(); ready.length > 0; ready = await fixture.announced()) {
      announced.push(...ready.map(({ data }) => data.seq));
      // The last one first, because no order is guaranteed.
      for (const message of ready.reverse()) {
        const applied = await fixture.apply(message);
        if (applied) for (const _ of ['answer', 'repeated answer']) await applyProgress(worker, applied);
      }
    }
    expect(announced).toEqual(Array.from({ length: 15 }, (_, seq) => seq));
    expect(await fixture.job(large)).toMatchObject({ status: 'running', batches_processed: 15 });
  });
});

describe('the share of a job', () => {
  const [one, two, three] = [newUuid(), newUuid(), newUuid()];

  it.each<[number, number, Record<string, number>]>([
    [9, 4, {}],
    [9, 4, { [one]: 1 }],
    [5, 4, { [two]: 1 }],
    [5, 4, { [one]: 1, [two]: 3 }],
    [2, 4, { [one]: 3, [two]: 1 }],
    [1, 1, { [one]: 1, [two]: 1, [three]: 1 }],
    [1, 1, { [one]: 4, [two]: 1 }],
  ])('is %s batches with %s processes and the jobs %j', (share, processes, jobs) => {
    expect(shareOf(one, { processes, jobs: new Map(Object.entries(jobs)) })).toBe(share);
  });
});
