import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

let fixture: SyncFixture;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

afterAll(async () => {
  await fixture?.close();
});

async function runRetirement(isMarked: boolean): Promise<string> {
  const job = await fixture.queueAlone();
  await fixture.rows.rows('update connectors set deleted_at = now() where id = $1', [job.connectorId]);
  await fixture.rows.rows(`update sync_jobs set retires = $2, mode = 'full' where id = $1`, [job.id, isMarked]);
  const context = fixture.context(listSource(5));
  const claimed = await claimJob(context, job);
  if (!claimed) throw new Error('not claimed');
  await runJob(context, claimed, new RunControl());
  return job.id;
}

describe('a job that retires a deleted connector', () => {
  it('reads nothing and requests its sweep once', async () => {
    const id = await runRetirement(true);
    expect(await fixture.announced()).toEqual([]);
    expect(await fixture.sweepAll()).toBe(1);
    expect(await fixture.job(id)).toMatchObject({ status: 'completed', records_read: 0, progress_pct: 100 });
  });

  it('is the only job that a deleted connector can run', async () => {
    const id = await runRetirement(false);
    expect(await fixture.job(id)).toMatchObject({ status: 'failed', error_message: 'connector was deleted' });
  });
});
