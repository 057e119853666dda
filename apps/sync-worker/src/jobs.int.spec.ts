import type { Connector } from '@idsync/connectors';
import { encodeId } from '@idsync/contracts';
import { type ClaimedJob, findClaimableJobs, releaseLease } from '@idsync/database/sync';
import { until } from '@idsync/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listSource, truncated } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import type { SyncContext, SyncSettings } from './sync-context.js';

const fixture = SyncFixture.ofFile();

beforeEach(async () => {
  // Removes batches of the previous test.
  await fixture.announced();
  fixture.applied.length = 0;
});

describe('claiming a job', () => {
  let context: SyncContext;

  beforeAll(() => {
    context = fixture.context(listSource(0));
  });

  const claimable = async () => (await findClaimableJobs(fixture.database, 100)).map((job) => job.id);

  it('starts a queued job with one event, and takes a lease with the next token', async () => {
    const job = await fixture.queueAlone();
    expect(await claimable()).toContain(job.id);
    const claimed = await claimJob(context, job);
    expect(claimed).toMatchObject({ id: job.id, status: 'running', leaseToken: 1, started: true, cursor: null });
    expect(await fixture.job(job.id)).toMatchObject({ lease_owner: context.owner, attempts: 1 });
    expect(await claimable()).not.toContain(job.id);
    expect(await claimJob(context, job)).toBeUndefined();
    expect(await fixture.events(job.id)).toEqual([
      {
        type: 'sync.job.started',
        details: { job_id: encodeId('job', job.id), connector_id: encodeId('connector', job.connectorId) },
      },
    ]);
  });

  it('takes over a job with an expired lease, with a higher token and the original start time', async () => {
    const job = await fixture.queueAlone();
    await claimJob(context, job);
    const { started_at } = await fixture.job(job.id);
    await fixture.expireLease(job.id);
    expect(await claimable()).toContain(job.id);
    expect(await claimJob(context, job)).toMatchObject({ leaseToken: 2, started: false });
    expect(await fixture.job(job.id)).toMatchObject({ started_at });
    expect(await fixture.events(job.id)).toHaveLength(1);
  });

  it('finds the waiting job of each of several connectors', async () => {
    const jobs = [await fixture.queueAlone(), await fixture.queueAlone(), await fixture.queueAlone()];
    expect(await claimable()).toEqual(expect.arrayContaining(jobs.map(({ id }) => id)));
  });

  it('finds no single-record job, which is claimed separately', async () => {
    const job = await fixture.queueAlone();
    await claimJob(context, job);
    await fixture.expireLease(job.id);
    expect(await claimable()).toContain(job.id);
    await fixture.rows.rows(`update sync_jobs set mode = 'record', external_id = 'x' where id = $1`, [job.id]);
    expect(await claimable()).not.toContain(job.id);
  });

  it('releases the lease of this job only, and only of the present claim', async () => {
    const job = await fixture.queueAlone();
    const beside = await fixture.queue(job.tenantId, await fixture.rows.connector(job.tenantId));
    const claimed = await claimJob(context, job);
    await claimJob(context, beside);
    const release = (token: number) =>
      fixture.database.transaction(job.tenantId, (tx) =>
        releaseLease(tx, { jobId: job.id, tenantId: job.tenantId, token }, { delayMs: 0, asIfNeverClaimed: true }),
      );
    const owners = async () => [(await fixture.job(job.id)).lease_owner, (await fixture.job(beside.id)).lease_owner];
    const token = claimed?.leaseToken ?? 0;
    await release(token + 1);
    expect(await owners()).toEqual([context.owner, context.owner]);
    await release(token);
    expect(await owners()).toEqual([null, context.owner]);
  });

  it('skips a job whose tenant is locked, instead of waiting', async () => {
    const job = await fixture.queueAlone();
    await fixture.database.transaction(job.tenantId, async (tx) => {
      await tx.query('select last from event_sequences where tenant_id = $1 for update', [job.tenantId]);
      expect(await claimJob(context, job)).toBeUndefined();
    });
    expect(await fixture.job(job.id)).toMatchObject({ status: 'queued', lease_token: 0 });
    expect(await claimJob(context, job)).toMatchObject({ id: job.id });
  });

  it('finds the oldest queued job of a connector, and none while another one runs', async () => {
    const first = await fixture.queueAlone();
    const second = await fixture.queue(first.tenantId, first.connectorId);
    expect(await claimable()).toContain(first.id);
    expect(await claimable()).not.toContain(second.id);
    await fixture.rows.rows(`update sync_jobs set status = 'running' where id = $1`, [first.id]);
    expect(await claimable()).not.toContain(second.id);
    expect(await claimJob(context, second)).toBeUndefined();
    await fixture.rows.rows(`update sync_jobs set status = 'completed' where id = $1`, [first.id]);
    expect(await claimable()).toContain(second.id);
  });

  it('finds a queued job while another one of the connector is quarantined, but not once that one is released', async () => {
    const first = await fixture.queueAlone();
    const second = await fixture.queue(first.tenantId, first.connectorId);
    await fixture.rows.rows(`update sync_jobs set status = 'quarantined' where id = $1`, [first.id]);
    expect(await claimable()).toContain(second.id);
    const decide = (action: string | null) =>
      fixture.rows.rows(`update sync_jobs set decision = $2::jsonb where id = $1`, [
        first.id,
        action && JSON.stringify({ action }),
      ]);
    await decide('released');
    expect(await claimable()).not.toContain(second.id);
    await decide(null);
    expect(await claimJob(context, second)).toMatchObject({ id: second.id });
  });

  it('starts one of two jobs of a connector when both are claimed concurrently', async () => {
    const first = await fixture.queueAlone();
    const second = await fixture.queue(first.tenantId, first.connectorId);
    const claims = await Promise.all([first, second, first, second].map((job) => claimJob(context, job)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    const statuses = [(await fixture.job(first.id)).status, (await fixture.job(second.id)).status];
    expect(statuses.sort()).toEqual(['queued', 'running']);
  });

  it('does not find a running job that only waits for its batches', async () => {
    const job = await fixture.queueAlone();
    await claimJob(context, job);
    await fixture.rows.rows('update sync_jobs set batches_total = 3, lease_until = null where id = $1', [job.id]);
    expect(await claimable()).not.toContain(job.id);
    expect(await claimJob(context, job)).toBeUndefined();
  });

  it('fails a job whose workers are killed repeatedly without a page in between', async () => {
    const job = await fixture.queueAlone();
    const context = fixture.context(listSource(0), { claimsAllowed: 3 });
    for (let claim = 1; claim <= 3; claim += 1) {
      expect(await claimJob(context, job)).toBeDefined();
      await fixture.expireLease(job.id);
    }
    expect(await claimJob(context, job)).toBeUndefined();
    expect(await fixture.job(job.id)).toMatchObject({
      status: 'failed',
      error_message: 'internal error: no progress in 3 attempts',
    });
    expect((await fixture.events(job.id)).map((event) => event.type)).toEqual(['sync.job.started', 'sync.job.failed']);
  });
});

describe('a job that retires a deleted connector', () => {
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

describe('the run of a job', () => {
  async function claimed(tenantId?: string, connectorId?: string): Promise<ClaimedJob> {
    const job = tenantId && connectorId ? await fixture.queue(tenantId, connectorId) : await fixture.queueAlone();
    const claim = await claimJob(fixture.context(listSource(0)), job);
    if (!claim) throw new Error('not claimed');
    return claim;
  }

  async function takeOver(job: ClaimedJob): Promise<ClaimedJob> {
    const claim = await claimJob(fixture.context(listSource(0)), job);
    if (!claim) throw new Error('not taken over');
    return claim;
  }

  async function run(job: ClaimedJob, source: Connector, settings: Partial<SyncSettings> = {}): Promise<void> {
    await runJob(fixture.context(source, settings), job, new RunControl());
  }

  describe('running a job', () => {
    it('writes each page as a batch and completes when the directory has applied the last one', async () => {
      const job = await claimed();
      await run(job, listSource(25, { reportsFraction: true }));
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'running',
        batches_written: 3,
        batches_total: 3,
        records_read: 25,
        progress_pct: 0,
        lease_owner: null,
        lease_until: null,
      });
      expect(await fixture.applyAll()).toBe(3);
      expect(fixture.applied).toEqual(numbered(0, 25));
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'completed',
        error_message: null,
        batches_processed: 3,
        records_applied: 25,
        progress_pct: 100,
      });
      expect(await fixture.rows.rows('select from sync_batches where job_id = $1', [job.id])).toEqual([]);
      expect((await fixture.events(job.id)).at(-1)).toMatchObject({
        type: 'sync.job.completed',
        details: { status: 'completed', records_read: 25, records_applied: 25, records_failed: 0 },
      });
    });

    it('completes without a batch after the sweep when the source is empty', async () => {
      const job = await claimed();
      await run(job, listSource(0));
      expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_total: 0 });
      expect(await fixture.sweepAll()).toBe(1);
      expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', progress_pct: 100, batches_total: 0 });
    });

    it('reports skipped records with their lines, and writes no batch for a page without valid records', async () => {
      const job = await claimed();
      await run(job, listSource(20, { badLines: [3, ...Array.from({ length: 10 }, (_, at) => at + 10)] }));
      expect(await fixture.job(job.id)).toMatchObject({ batches_written: 1, records_failed: 11 });
      await fixture.applyAll();
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'completed_with_errors',
        progress_pct: 100,
        error_message: '11 records were left out; line 3: external_id is missing',
      });
      expect(await fixture.recordErrors(job.id)).toHaveLength(11);
    });

    it('applies a record without the fields that cannot be used, and reports them with their lines', async () => {
      const job = await claimed();
      const problem = { field: 'hire_date', message: 'hire_date is not a date', said: '31.12.20', line: 7 };
      await run(job, listSource(20, { problems: { r5: [problem] } }));
      const [batch] = await fixture.rows.rows<{ records: string }>(
        'select records from sync_batches where job_id = $1 and seq = 0',
        [job.id],
      );
      expect(JSON.parse(batch?.records ?? '')[5]).toEqual({ external_id: 'r5', fields: {}, kept: ['hire_date'] });
      await fixture.applyAll();
      expect(fixture.applied).toEqual(numbered(0, 20));
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'completed_with_errors',
        records_read: 20,
        records_applied: 20,
        records_failed: 0,
        error_message: '1 value or repeated row was left out; line 7: hire_date is not a date',
      });
      const shown = 'select external_id, line::int, message, source_message';
      const error = { external_id: 'r5', line: 7, message: 'hire_date is not a date', source_message: '31.12.20' };
      expect(await fixture.rows.rows(`${shown}, field from sync_record_errors where job_id = $1`, [job.id])).toEqual([
        { ...error, field: 'hire_date' },
      ]);
      expect(await fixture.rows.rows(`${shown}, field from failing_records where job_id = $1`, [job.id])).toEqual([
        { ...error, field: 'hire_date' },
      ]);
    });

    it('does not count a repeated row as a record', async () => {
      const job = await claimed();
      const repeated = { field: 'external_id', external_id: 'r1', line: 2, message: 'listed again in line 3' };
      const twice: Connector = {
        async *read() {
          yield { records: [{ external_id: 'r1', fields: {} }], errors: [repeated], cursor: {}, last: true };
        },
      };
      await run(job, twice);
      await fixture.applyAll();
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'completed_with_errors',
        records_read: 1,
        records_applied: 1,
        records_failed: 0,
        error_message: '1 value or repeated row was left out; line 2: listed again in line 3',
      });
    });

    it('stores a thousand errors of records beside those of fields', async () => {
      const job = await claimed();
      const badLines = Array.from({ length: 1_100 }, (_, line) => line);
      const problems = Object.fromEntries(
        numbered(1_100, 2_300).map((id) => [id, [{ field: 'email', message: 'email is not valid UTF-8' }]]),
      );
      await run(job, listSource(2_300, { badLines, problems }), { pageSize: 400 });
      await fixture.applyAll();
      const [stored] = await fixture.rows.rows(
        `select count(*) filter (where field is null)::int as records, count(field)::int as fields
           from sync_record_errors where job_id = $1`,
        [job.id],
      );
      expect(stored).toEqual({ records: 1_000, fields: 1_000 });
    });

    it('counts every error and stores 1000 of them', async () => {
      const job = await claimed();
      const badLines = Array.from({ length: 1_500 }, (_, line) => line);
      await run(job, listSource(1_500, { badLines }), { pageSize: 400 });
      await fixture.sweepAll();
      expect(await fixture.job(job.id)).toMatchObject({ status: 'completed_with_errors', records_failed: 1_500 });
      const kept = await fixture.recordErrors(job.id);
      expect(kept.map((error) => error.line)).toEqual(badLines.slice(0, 1_000));
    });

    it('fails with the message of the source after the pages before are applied', async () => {
      const job = await claimed();
      await run(job, listSource(30, { failsAt: truncated(25) }));
      expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_total: 2, lease_until: null });
      await fixture.applyAll();
      expect(fixture.applied).toEqual(numbered(0, 20));
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'failed',
        error_message: 'hr.csv ends in the middle of a record',
        records_applied: 20,
      });
      expect((await fixture.job(job.id)).progress_pct).toBeLessThan(100);
      expect((await fixture.events(job.id)).at(-1)).toMatchObject({
        type: 'sync.job.failed',
        details: { error: 'hr.csv ends in the middle of a record' },
      });
    });

    it('fails immediately when the source returned no page', async () => {
      const job = await claimed();
      await run(job, listSource(30, { failsAt: truncated(0) }));
      expect(await fixture.job(job.id)).toMatchObject({ status: 'failed', batches_written: 0 });
    });

    it('fails when the source ends without a last page or times out', async () => {
      const endless = await claimed();
      await run(endless, listSource(0, { endless: true }));
      expect(await fixture.job(endless.id)).toMatchObject({
        status: 'failed',
        error_message: 'the source stopped before the end of its data',
      });
      const silent = await claimed();
      await run(silent, listSource(10, { beforePage: () => new Promise(() => undefined) }), { pageTimeoutMs: 50 });
      expect(await fixture.job(silent.id)).toMatchObject({
        status: 'failed',
        error_message: 'the source did not respond for 0.05 seconds',
      });
    });

    it('fails when the connector is deleted before the first page or between two pages', async () => {
      const early = await claimed();
      const deleteConnector = (id: string) =>
        fixture.rows.rows('update connectors set deleted_at = now() where id = $1', [id]);
      await deleteConnector(early.connectorId);
      await run(early, listSource(10));
      expect(await fixture.job(early.id)).toMatchObject({ status: 'failed', error_message: 'connector was deleted' });

      const late = await claimed();
      const beforePage = async (line: number) => {
        if (line === 10) await deleteConnector(late.connectorId);
      };
      await run(late, listSource(30, { beforePage }));
      expect(await fixture.job(late.id)).toMatchObject({ status: 'running', batches_written: 1, batches_total: 1 });
      await fixture.applyAll();
      expect(await fixture.job(late.id)).toMatchObject({ status: 'failed', error_message: 'connector was deleted' });
    });

    it('retries after the last page on an unexpected error, and fails after repeated errors without a page', async () => {
      const job = await claimed();
      const broken = listSource(30, { failsAt: { line: 15, error: new TypeError('undefined is not a function') } });
      await run(job, broken, { errorsAllowed: 2 });
      expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_written: 1, lease_owner: null });
      const { lease_until } = await fixture.job(job.id);
      expect(lease_until?.getTime()).toBeGreaterThan(Date.now());

      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await fixture.expireLease(job.id);
        await run(await takeOver(job), broken, { errorsAllowed: 2 });
      }
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'failed',
        error_message: 'internal error; see the log of the worker',
        batches_written: 1,
      });
    });

    it('fails when the mapping is changed between two pages', async () => {
      const job = await claimed();
      await run(job, listSource(30, { failsAt: { line: 15, error: new TypeError('undefined is not a function') } }));
      await fixture.rows.rows('update connectors set config_version = config_version + 1 where id = $1', [
        job.connectorId,
      ]);
      await fixture.expireLease(job.id);
      await run(await takeOver(job), listSource(30));
      await fixture.applyAll();
      expect(await fixture.job(job.id)).toMatchObject({
        status: 'failed',
        error_message: 'the connector was changed during the run: start another run',
        batches_written: 1,
        records_applied: 10,
      });
    });
  });

  describe('a worker that has lost its lease', () => {
    it('writes neither the current page nor the end of the job', async () => {
      const job = await claimed();
      let overtaken: ClaimedJob | undefined;
      const beforePage = async (line: number) => {
        if (line !== 10) return;
        await fixture.expireLease(job.id);
        overtaken = await takeOver(job);
      };
      await run(job, listSource(30, { beforePage }));
      expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_written: 1, lease_token: 2 });
      if (!overtaken) throw new Error('not overtaken');
      await run(overtaken, listSource(30));
      await fixture.applyAll();
      expect(fixture.applied).toEqual(numbered(0, 30));
      expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', records_applied: 30, batches_total: 3 });
    });

    it('does not fail the job of another worker or release its lease', async () => {
      const job = await claimed();
      const beforePage = async () => {
        await fixture.expireLease(job.id);
        await takeOver(job);
        throw new TypeError('the old worker fails');
      };
      await run(job, listSource(30, { beforePage }), { errorsAllowed: 1 });
      const now = await fixture.job(job.id);
      expect(now).toMatchObject({ status: 'running', lease_token: 2 });
      expect(now.lease_owner).not.toBeNull();
    });

    it('is interrupted by the lease renewal while the source does not respond', async () => {
      const job = await claimed();
      const beforePage = async (): Promise<void> => {
        await fixture.rows.rows('update sync_jobs set lease_token = lease_token + 1 where id = $1', [job.id]);
        await new Promise(() => undefined);
      };
      await run(job, listSource(30, { beforePage }), { leaseMs: 90 });
      expect(await fixture.job(job.id)).toMatchObject({ status: 'running', batches_written: 0 });
    });
  });

  describe('a slow directory', () => {
    it('pauses the run with a renewed lease until batches are applied', async () => {
      const job = await claimed();
      const control = new RunControl();
      const context = fixture.context(listSource(100), { batchesInFlight: 2, capacityPollMs: 20, leaseMs: 2_000 });
      const running = runJob(context, job, control);
      await until(async () => (await fixture.job(job.id)).batches_written === 2);
      const { lease_until } = await fixture.job(job.id);
      await until(async () => Number((await fixture.job(job.id)).lease_until) > Number(lease_until));
      expect(await fixture.job(job.id)).toMatchObject({ batches_written: 2, lease_token: 1 });

      let most = 0;
      await until(async () => {
        const [row] = await fixture.rows.rows<{ count: number }>(
          'select count(*)::int as count from sync_batches where job_id = $1',
          [job.id],
        );
        most = Math.max(most, row?.count ?? 0);
        await fixture.applyAll();
        return (await fixture.job(job.id)).status === 'completed';
      });
      await running;
      expect(most).toBeLessThanOrEqual(2);
      expect(fixture.applied).toEqual(numbered(0, 100));
    });
  });
});
