import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connector, SourceError } from '@idsync/connectors';
import { encodeId, type Message } from '@idsync/contracts';
import { findJobSource } from '@idsync/database/sync';
import { until } from '@idsync/testing';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { numbered, SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { applyProgress, cancelRequestedJob } from './job-messages.js';
import { sourceOpener } from './open-source.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';
import { createDueJobs } from './scheduled-runs.js';
import type { SyncSettings } from './sync-context.js';

const fixture = SyncFixture.ofFile();

beforeEach(async () => {
  // Removes batches of the previous test.
  await fixture.announced();
  fixture.applied.length = 0;
});

describe('the health of a source', () => {
  let tenant: string;
  let connector: string;

  beforeEach(async () => {
    tenant = await fixture.rows.tenant();
    connector = await fixture.rows.connector(tenant);
  });

  const broken: Connector = {
    // biome-ignore lint/correctness/useYield: the source fails before its first page
    async *read() {
      throw new SourceError('no response');
    },
  };

  interface Answer {
    /** Records that the directory skips. */
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
    // Batches of an incremental run are announced one after another.
    for (let ready = await fixture.announced(); ready.length > 0; ready = await fixture.announced()) {
      for (const message of ready) {
        const answer = await fixture.apply(message);
        if (answer) await applyProgress(fixture, leavingOut(answer, leftOut));
      }
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
    const poll = () => createDueJobs(fixture.context(broken), () => undefined);
    const minutesToNext = async () => {
      const { next_run_at, last_failed_at } = await state();
      return ((next_run_at?.getTime() ?? Number.NaN) - last_failed_at.getTime()) / 60_000;
    };

    it('is polled less often after its third failure, at least every six hours, and at its usual interval after a success', async () => {
      await fixture.rows.rows('update connectors set schedule = $2 where id = $1', [
        connector,
        JSON.stringify({ every: '15m', jitter: '0s' }),
      ]);
      await poll();
      const gaps: number[] = [];
      for (let failure = 1; failure <= 9; failure += 1) {
        await run(broken);
        await poll();
        expect((await state()).failures).toBe(failure);
        gaps.push(await minutesToNext());
      }
      for (const [at, least] of [0, 0, 30, 60, 120, 240, 360, 360, 360].entries()) {
        expect(gaps[at]).toBeGreaterThan(least - 0.1);
        expect(gaps[at]).toBeLessThanOrEqual(least + 15.1);
      }
      await run(listSource(1));
      await poll();
      expect((await state()).failures).toBe(0);
      expect(((await state()).next_run_at?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    });

    it('has no failures counted for cancelled jobs and dry runs', async () => {
      await run(broken);
      await run(broken, { dryRun: true });
      expect((await state()).failures).toBe(1);
      const { id } = await fixture.queue(tenant, connector);
      await cancelRequestedJob(fixture.database, { id, tenant_id: tenant, data: { job_id: id } });
      expect((await state()).failures).toBe(1);
      await run(listSource(3, { badLines: [1] }));
      expect((await state()).failures).toBe(0);
    });

    it('is distinguished from a slow source by the time of its last page', async () => {
      const job = await run(listSource(0));
      const [row] = await fixture.rows.rows<{ last_record_at: Date }>(
        'select last_record_at from sync_jobs where id = $1',
        [job],
      );
      expect(row?.last_record_at).toBeInstanceOf(Date);
    });
  });

  describe('a failing record', () => {
    const changes = (...ids: string[]): Connector => ({
      reportsChanges: true,
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

    it('stays listed during incremental runs without it, and is removed when one applies it', async () => {
      await run(changes('a', 'b', 'c'), { leftOut: ['a', 'b'] });
      await run(changes('c'));
      expect(await failingIds()).toEqual(['a', 'b']);
      await run(changes('a', 'c'));
      expect(await failingIds()).toEqual(['b']);
      await run(changes('b'), { leftOut: ['b'] });
      expect(await failingIds()).toEqual(['b']);
    });

    describe('is read again by incremental runs, which', () => {
      /** A source whose changes are `ids`, and that has only the records `found`. */
      const retrying = (ids: string[], found: string[], asked: string[] = []): Connector => ({
        ...changes(...ids),
        readOne: async (externalId) => {
          asked.push(externalId);
          if (externalId === 'bad') return { error: { message: 'hire_date is not a date' } };
          return found.includes(externalId) ? { record: { external_id: externalId, fields: {} } } : 'absent';
        },
      });
      /** Makes the failing records due again. */
      const later = () =>
        fixture.rows.rows(
          `update failing_records set retry_at = retry_at - interval '2 days' where connector_id = $1`,
          [connector],
        );
      const counts = async (id: string) => {
        const [row] = await fixture.rows.rows(
          `select mode, status, records_read::int as read, records_failed::int as failed, records_retried::int as retried
             from sync_jobs where id = $1`,
          [id],
        );
        return row;
      };

      it('apply it as soon as it can be used, and remove it if it is gone', async () => {
        await run(changes('a', 'b', 'c'), { leftOut: ['a', 'b'] });
        const before = fixture.applied.length;
        const job = await run(retrying(['c'], ['a']));
        expect(await counts(job)).toEqual({ mode: 'changes', status: 'completed', read: 3, failed: 0, retried: 2 });
        expect(fixture.applied.slice(before)).toEqual(['b', 'a', 'c']);
        expect(await failingIds()).toEqual([]);
      });

      it('delay each further try, and count it as a record that was left out', async () => {
        await run(changes('bad', 'c'), { leftOut: ['bad'] });
        const asked: string[] = [];
        const source = retrying([], [], asked);
        expect(await counts(await run(source))).toMatchObject({
          status: 'completed_with_errors',
          failed: 1,
          retried: 1,
        });
        expect(await counts(await run(source))).toMatchObject({ status: 'completed', failed: 0, retried: 0 });
        await later();
        await run(source);
        expect(asked).toEqual(['bad', 'bad']);
        const [failing] = await fixture.rows.rows<{ retries: number; minutes: number }>(
          `select retries, round(extract(epoch from retry_at - now()) / 60)::int as minutes from failing_records
            where connector_id = $1`,
          [connector],
        );
        expect(failing).toEqual({ retries: 2, minutes: 30 });
      });

      it('try it again later if the worker is killed or the source does not answer', async () => {
        await run(changes('a', 'b'), { leftOut: ['a', 'b'] });
        const asked: string[] = [];
        const hanging: Connector = { ...retrying([], ['a', 'b'], asked), readOne: () => new Promise(() => {}) };
        const job = await fixture.queue(tenant, connector);
        const context = fixture.context(hanging);
        const claimed = await claimJob(context, job);
        if (!claimed) throw new Error('not claimed');
        const control = new RunControl();
        const died = runJob(context, claimed, control);
        await until(async () => (await taken()) === 1);
        control.interrupt('lease lost');
        await died;
        await fixture.expireLease(job.id);
        const again = await claimJob(context, job);
        if (!again) throw new Error('not claimed');
        await runJob(fixture.context(hanging, { retryMs: 1 }), again, new RunControl());
        await fixture.applyAll();
        expect(await fixture.job(job.id)).toMatchObject({ status: 'completed' });
        expect(await failingIds()).toEqual(['a', 'b']);
        await later();
        await run(retrying([], ['a', 'b'], asked));
        expect(asked).toEqual(['a', 'b']);
        expect(await failingIds()).toEqual([]);
      });

      async function taken(): Promise<number> {
        const [row] = await fixture.rows.rows<{ count: number }>(
          'select count(*)::int from failing_records where connector_id = $1 and retries > 0',
          [connector],
        );
        return row?.count ?? 0;
      }

      it('leave it to full runs and dry runs do not touch it', async () => {
        await run(changes('a'), { leftOut: ['a'] });
        const asked: string[] = [];
        await run(retrying([], ['a'], asked), { dryRun: true });
        await fixture.rows.rows('update connector_states set complete_as_of = null where connector_id = $1', [
          connector,
        ]);
        await run(retrying(['a'], ['a'], asked), { leftOut: ['a'] });
        expect(asked).toEqual([]);
        expect(await failingIds()).toEqual(['a']);
      });
    });

    it('without an id is listed by its line, until a full run reads it without an error', async () => {
      await run(listSource(30, { badLines: [3, 4] }));
      await run(listSource(30, { badLines: [4] }));
      expect((await failing()).map(({ line }) => line)).toEqual([4]);
      await run(listSource(30));
      expect(await failing()).toEqual([]);
    });

    it('is neither listed nor removed by a dry run, and not removed by a failed run', async () => {
      await run(listSource(5), { leftOut: ['r1'] });
      await run(listSource(5), { leftOut: ['r2'], dryRun: true });
      await run(listSource(5), { dryRun: true });
      await run(broken);
      expect(await failingIds()).toEqual(['r1']);
    });

    it('is stored up to a maximum number per connector', async () => {
      const badLines = [...Array(1_500).keys()];
      await run(listSource(1_500, { badLines }));
      const [row] = await fixture.rows.rows<{ count: number }>(
        'select count(*)::int as count from failing_records where connector_id = $1',
        [connector],
      );
      expect(row?.count).toBeLessThanOrEqual(1_010);
    });
  });
});

describe('a job whose source is temporarily unavailable', () => {
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

describe('the message of a source about its failure', () => {
  const word = 'w0rd-of-the-source';

  /** Returns one record error, and then fails or ends. */
  function source(end?: Error): Connector {
    const errors = [{ line: 1, external_id: 'r1', message: 'hire_date is not a date', said: word }];
    return {
      async *read() {
        yield { records: [], errors, cursor: { at: 1 }, last: end === undefined };
        if (end) throw end;
      },
    };
  }

  async function run(connector: Connector): Promise<string> {
    const job = await fixture.queueAlone();
    const context = fixture.context(connector);
    const claimed = await claimJob(context, job);
    if (!claimed) throw new Error('the job was not claimed');
    await runJob(context, claimed, new RunControl());
    return job.id;
  }

  const kept = async (table: string, column: string, jobId: string) =>
    fixture.rows.rows(`select source_message from ${table} where ${column} = $1`, [jobId]);

  it('is stored separately from the public error, and is in no event and no outbox message', async () => {
    const failed = new SourceError('GET https://a.example/users answered 403', { code: 'forbidden', said: word });
    const jobId = await run(source(failed));
    const columns = 'status, error_message, error_code, source_message';
    expect(await fixture.rows.rows(`select ${columns} from sync_jobs where id = $1`, [jobId])).toEqual([
      { status: 'failed', error_message: failed.message, error_code: 'forbidden', source_message: word },
    ]);
    const events = await fixture.events(jobId);
    expect(events.at(-1)).toMatchObject({
      type: 'sync.job.failed',
      details: { error: failed.message, error_code: 'forbidden' },
    });
    expect(JSON.stringify(events)).not.toContain(word);
    expect(JSON.stringify(await fixture.rows.rows('select message from outbox'))).not.toContain(word);
  });

  it('is stored with the error of the record, and is not in the error message', async () => {
    const jobId = await run(source(new SourceError('it broke off', { code: 'unreachable' })));
    for (const table of ['sync_record_errors', 'failing_records']) {
      expect(await kept(table, 'job_id', jobId)).toEqual([{ source_message: word }]);
    }
    expect(await fixture.recordErrors(jobId)).toEqual([{ line: 1, message: 'hire_date is not a date' }]);
    expect(await kept('sync_jobs', 'id', jobId)).toEqual([{ source_message: null }]);
  });
});

describe('the files of a tenant', () => {
  const sourcesDir = mkdtempSync(join(tmpdir(), 'idsync-tenant-sources-'));
  afterAll(async () => {
    rmSync(sourcesDir, { recursive: true, force: true });
  });

  /**
   * Returns the ids that a connector of a new tenant reads from `hr.csv`. With `own`, the tenant's directory has such a
   * file.
   */
  async function idsOf({ byTenant, own }: { byTenant: boolean; own?: string }): Promise<string[]> {
    const tenantId = await fixture.rows.tenant();
    const connectorId = await fixture.rows.connector(tenantId);
    const config = { path: 'hr.csv', external_id: 'id', fields: { display_name: 'id' } };
    await fixture.rows.rows(`update connectors set type = 'csv', config = $2 where id = $1`, [
      connectorId,
      JSON.stringify(config),
    ]);
    if (own !== undefined) {
      const folder = join(sourcesDir, encodeId('tenant', tenantId));
      mkdirSync(folder);
      writeFileSync(join(folder, 'hr.csv'), `id\n${own}\n`);
    }
    const open = sourceOpener(fixture.database, {
      sourcesDir,
      sourcesByTenant: byTenant,
      encryptionKeys: [],
      allowedCidrs: [],
    });
    const source = await fixture.database.transaction(tenantId, (tx) => findJobSource(tx, connectorId));
    if (!source) throw new Error('the connector does not exist');
    const ids: string[] = [];
    for await (const { records } of open(source).read({ pageSize: 10, signal: new AbortController().signal })) {
      ids.push(...records.map(({ external_id }) => external_id));
    }
    return ids;
  }

  it('are read only from the directory named after its id', async () => {
    writeFileSync(join(sourcesDir, 'hr.csv'), 'id\nof-all\n');
    await expect(idsOf({ byTenant: true, own: 'mine' })).resolves.toEqual(['mine']);
    await expect(idsOf({ byTenant: true })).rejects.toThrow(/the sources folder has no folder "ten_\w+"/);
  });

  it('are read from the common directory if SOURCES_BY_TENANT is off', async () => {
    await expect(idsOf({ byTenant: false, own: 'mine' })).resolves.toEqual(['of-all']);
  });
});
