import { type Connector, SourceError } from '@idsync/connectors';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import type { SyncSettings } from './sync-context.js';

let fixture: SyncFixture;
beforeAll(async () => {
  fixture = await SyncFixture.create();
});
beforeEach(async () => {
  // Removes batches of the previous test.
  await fixture.announced();
  fixture.applied.length = 0;
});
afterAll(async () => {
  await fixture?.close();
});

const quick = { firstPauseMs: 1, longestPauseMs: 5 };
const outage = () => new SourceError('the source closed the connection', { transient: true });

/** Starts a run of a new job in the background. */
async function start(source: Connector, settings: Partial<SyncSettings>) {
  const job = await fixture.queueAlone();
  const context = fixture.context(source, settings);
  const claim = await claimJob(context, job);
  if (!claim) throw new Error('not claimed');
  const control = new RunControl();
  return { job, control, ended: runJob(context, claim, control) };
}

/** A source of 25 records that is unavailable from the 11th on until `mend` is called. */
function brokenSource(): { source: Connector; failures: () => number; mend: () => void } {
  let [failures, isMended] = [0, false];
  const mend = () => {
    isMended = true;
  };
  const beforePage = (line: number) => {
    if (line !== 10 || isMended) return;
    failures += 1;
    throw outage();
  };
  return { source: listSource(25, { beforePage }), failures: () => failures, mend };
}

describe('a job whose source is temporarily unavailable', () => {
  it('completes with every record once, regardless of when the outage started', async () => {
    const failed = new Set<number>();
    const beforePage = (line: number) => {
      if (failed.has(line)) return;
      failed.add(line);
      throw outage();
    };
    const { job, ended } = await start(listSource(25, { beforePage }), quick);
    await ended;
    await fixture.applyAll();
    expect(fixture.applied).toEqual(numbered(0, 25));
    expect(await fixture.job(job.id)).toMatchObject({
      ...{ status: 'completed', records_read: 25, records_applied: 25, batches_written: 3, error_message: null },
    });
    expect(failed).toEqual(new Set([0, 10, 20]));
  });

  it('keeps its lease during an outage that is longer than the lease', async () => {
    const { source, failures, mend } = brokenSource();
    const { job, ended } = await start(source, { ...quick, leaseMs: 300 });
    await until(() => failures() > 0);
    const leases = new Set<string>();
    await until(async () => {
      leases.add(String((await fixture.job(job.id)).lease_until?.toISOString()));
      return leases.size > 4;
    });
    mend();
    await ended;
    await fixture.applyAll();
    expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', records_read: 25, lease_token: 1 });
  });

  it('fails after the maximum outage, with the pages before applied', async () => {
    const { source, failures } = brokenSource();
    const { job, ended } = await start(source, { ...quick, outageMs: 60 });
    await ended;
    await fixture.applyAll();
    expect(fixture.applied).toEqual(numbered(0, 10));
    expect(await fixture.job(job.id)).toMatchObject({
      ...{ status: 'failed', records_applied: 10, error_message: 'the source closed the connection' },
    });
    expect(failures()).toBeGreaterThan(2);
  });

  it('is interrupted immediately during a pause when it is cancelled', async () => {
    const { source, failures } = brokenSource();
    const { control, ended } = await start(source, { firstPauseMs: 100_000, longestPauseMs: 100_000 });
    await until(() => failures() > 0);
    control.interrupt('job ended');
    await ended;
    expect(failures()).toBe(1);
  });

  it('is released immediately during a pause when its worker stops, and continues on another worker after its last page', async () => {
    const { source, failures, mend } = brokenSource();
    const { job, control, ended } = await start(source, { firstPauseMs: 100_000, longestPauseMs: 100_000 });
    await until(() => failures() > 0);
    control.stop();
    await ended;
    expect(await fixture.job(job.id)).toMatchObject({ status: 'running', lease_owner: null, attempts: 0 });
    mend();
    const context = fixture.context(source, quick);
    const claim = await claimJob(context, job);
    if (!claim) throw new Error('not taken over');
    await runJob(context, claim, new RunControl());
    await fixture.applyAll();
    expect(fixture.applied).toEqual(numbered(0, 25));
    expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', records_read: 25 });
  });
});
