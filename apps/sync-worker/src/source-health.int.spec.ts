import { type Connector, SourceError } from '@idsync/connectors';
import type { Message } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { applyProgress } from './apply-progress.js';
import { cancelRequestedJob } from './cancel-requested-job.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import { makeDueJobs } from './scheduled-runs.js';

let fixture: SyncFixture;
let tenant: string;
let connector: string;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

beforeEach(async () => {
  tenant = await fixture.rows.tenant();
  connector = await fixture.rows.connector(tenant);
});

afterAll(async () => {
  await fixture?.close();
});

const broken: Connector = {
  // biome-ignore lint/correctness/useYield: it fails before its first page
  async *read() {
    throw new SourceError('nobody answers');
  },
};

interface Answer {
  /** Records that the directory leaves out. */
  leftOut?: string[];
  dryRun?: boolean;
}

async function run(source: Connector, { leftOut = [], dryRun = false }: Answer = {}): Promise<string> {
  const job = await fixture.queue(tenant, connector);
  await fixture.rows.rows('update sync_jobs set dry_run = $2 where id = $1', [job.id, dryRun]);
  const context = fixture.context(source);
  const claimed = await claimJob(context, job);
  if (!claimed) throw new Error('not claimed');
  await runJob(context, claimed, new RunControl());
  for (const message of await fixture.announced()) {
    const answer = await fixture.apply(message);
    if (answer) await applyProgress(fixture.database, leavingOut(answer, leftOut));
  }
  await fixture.sweepAll();
  return job.id;
}

function leavingOut(answer: Message<'sync.batch.applied'>, ids: string[]): Message<'sync.batch.applied'> {
  const errors = ids.map((external_id) => ({ external_id, message: 'could not be applied' }));
  return { ...answer, data: { ...answer.data, created: answer.data.created - errors.length, errors } };
}

async function state(): Promise<{ failures: number; next_run_at: Date | null; last_failed_at: Date }> {
  const [row] = await fixture.rows.rows<{ failures: number; next_run_at: Date | null; last_failed_at: Date }>(
    'select failures, next_run_at, last_failed_at from connector_states where connector_id = $1',
    [connector],
  );
  if (!row) throw new Error('no state');
  return row;
}

const failing = () =>
  fixture.rows.rows<{ external_id: string | null; line: number | null; first_failed_at: Date }>(
    'select external_id, line::int, message, first_failed_at from failing_records where connector_id = $1 order by external_id',
    [connector],
  );
const failingIds = async () => (await failing()).map(({ external_id }) => external_id);

describe('a source that fails', () => {
  const look = () => makeDueJobs(fixture.context(broken), () => undefined);
  const minutesToNext = async () => {
    const { next_run_at, last_failed_at } = await state();
    return ((next_run_at?.getTime() ?? Number.NaN) - last_failed_at.getTime()) / 60_000;
  };

  it('is looked at more and more seldom after its third failure, down to every six hours, and at once as before when it answers', async () => {
    await fixture.rows.rows('update connectors set schedule = $2 where id = $1', [
      connector,
      JSON.stringify({ every: '15m', jitter: '0s' }),
    ]);
    await look();
    const gaps: number[] = [];
    for (let failure = 1; failure <= 9; failure += 1) {
      await run(broken);
      await look();
      expect((await state()).failures).toBe(failure);
      gaps.push(await minutesToNext());
    }
    for (const [at, least] of [0, 0, 30, 60, 120, 240, 360, 360, 360].entries()) {
      expect(gaps[at]).toBeGreaterThan(least - 0.1);
      expect(gaps[at]).toBeLessThanOrEqual(least + 15.1);
    }
    await run(listSource(1));
    await look();
    expect((await state()).failures).toBe(0);
    expect(((await state()).next_run_at?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  });

  it('is not blamed for a job that was cancelled, nor for a rehearsal', async () => {
    await run(broken);
    await run(broken, { dryRun: true });
    expect((await state()).failures).toBe(1);
    const { id } = await fixture.queue(tenant, connector);
    await cancelRequestedJob(fixture.database, { id, tenant_id: tenant, data: { job_id: id } });
    expect((await state()).failures).toBe(1);
    await run(listSource(3, { badLines: [1] }));
    expect((await state()).failures).toBe(0);
  });

  it('is told apart from one that is slow by when it last gave a page', async () => {
    const job = await run(listSource(0));
    const [row] = await fixture.rows.rows<{ last_record_at: Date }>(
      'select last_record_at from sync_jobs where id = $1',
      [job],
    );
    expect(row?.last_record_at).toBeInstanceOf(Date);
  });
});

describe('a record that cannot be used', () => {
  const changes = (...ids: string[]): Connector => ({
    tellsChanges: true,
    async *read() {
      const records = ids.map((external_id) => ({ external_id, fields: {} }));
      yield { records, errors: [], cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
    },
  });

  it('is listed from its first failure until it succeeds', async () => {
    await run(listSource(5), { leftOut: ['r1', 'r3'] });
    expect(await failingIds()).toEqual(['r1', 'r3']);
    const [first] = await failing();
    await run(listSource(5), { leftOut: ['r1'] });
    expect(await failing()).toEqual([{ ...first }]);
    await run(listSource(5));
    expect(await failing()).toEqual([]);
  });

  it('stays listed while runs of changes do not name it, and goes when one applies it', async () => {
    await run(changes('a', 'b', 'c'), { leftOut: ['a', 'b'] });
    await run(changes('c'));
    expect(await failingIds()).toEqual(['a', 'b']);
    await run(changes('a', 'c'));
    expect(await failingIds()).toEqual(['b']);
    await run(changes('b'), { leftOut: ['b'] });
    expect(await failingIds()).toEqual(['b']);
  });

  it('is listed by its line where it has no id, and by the next full run no more if its source was mended', async () => {
    await run(listSource(30, { badLines: [3, 4] }));
    await run(listSource(30, { badLines: [4] }));
    expect((await failing()).map(({ line }) => line)).toEqual([4]);
    await run(listSource(30));
    expect(await failing()).toEqual([]);
  });

  it('is not listed for a rehearsal, nor taken from the list by one, nor by a run that failed', async () => {
    await run(listSource(5), { leftOut: ['r1'] });
    await run(listSource(5), { leftOut: ['r2'], dryRun: true });
    await run(listSource(5), { dryRun: true });
    await run(broken);
    expect(await failingIds()).toEqual(['r1']);
  });

  it('is one of a bounded number', async () => {
    const badLines = [...Array(1_500).keys()];
    await run(listSource(1_500, { badLines }));
    const [row] = await fixture.rows.rows<{ count: number }>(
      'select count(*)::int as count from failing_records where connector_id = $1',
      [connector],
    );
    expect(row?.count).toBeLessThanOrEqual(1_010);
  });
});
