import type { Connector } from '@idsync/connectors';
import { type JobMode, type Message, type MessageType, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { silentLogger } from '@idsync/runtime';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { applyBatch } from '../../apps/directory/src/apply-batch.js';
import { clearEndedRuns } from '../../apps/directory/src/sweep/clear-ended-runs.js';
import { sweepJob } from '../../apps/directory/src/sweep/sweep-job.js';
import { applyProgress } from '../../apps/sync-worker/src/apply-progress.js';
import { claimJob } from '../../apps/sync-worker/src/claim-job.js';
import { endSweep } from '../../apps/sync-worker/src/end-sweep.js';
import { quarantine, releaseJob } from '../../apps/sync-worker/src/quarantine.js';
import { readOvertakenRecords } from '../../apps/sync-worker/src/read-overtaken-records.js';
import { RunControl } from '../../apps/sync-worker/src/run-control.js';
import { runJob } from '../../apps/sync-worker/src/run-job.js';
import { defaultSettings, type SyncContext } from '../../apps/sync-worker/src/sync-context.js';

export interface RunOptions {
  mode?: JobMode;
  /** The record of a `record` job. */
  externalId?: string;
  pageSize?: number;
  dryRun?: boolean;
  /** The time at which the directory applies batches. */
  at?: Date;
  /** Chooses the next waiting message, and whether it is delivered twice. */
  choose?: () => number;
}

/** The sync-worker and the directory on one database, with messages delivered by the test. */
export class WholeSync {
  private constructor(
    private readonly own: TestDatabase,
    private readonly worker: Database,
    private readonly directory: Database,
    readonly rows: DirectoryFixture,
  ) {}

  static async start(): Promise<WholeSync> {
    const own = await createTestDatabase();
    const worker = await Database.connect({ url: own.url, service: 'sync-worker' });
    const directory = await Database.connect({ url: own.url, service: 'directory' });
    return new WholeSync(own, worker, directory, DirectoryFixture.connect(own.url));
  }

  async close(): Promise<void> {
    await this.rows.close();
    await this.worker.close();
    await this.directory.close();
    await this.own.drop();
  }

  /** Runs a job until it ends or waits for an operator; interrupted readers are taken over. */
  async run(tenantId: string, connectorId: string, source: Connector, options: RunOptions = {}): Promise<string> {
    const id = await this.queue(tenantId, connectorId, options);
    await this.finish(tenantId, id, source, options);
    return id;
  }

  /** Inserts a job as the gateway does. */
  async queue(tenantId: string, connectorId: string, options: RunOptions = {}): Promise<string> {
    const { mode = 'auto', dryRun = false, externalId = null } = options;
    const id = newUuid();
    await this.rows.rows(
      `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, dry_run, external_id)
       values ($1, $2, $3, true, $4, $5, $6)`,
      [id, tenantId, connectorId, mode, dryRun, externalId],
    );
    return id;
  }

  /** Starts a job and reads its source without delivering messages. */
  async readOnly(tenantId: string, id: string, source: Connector, options: RunOptions = {}): Promise<void> {
    const context = this.context(source, options);
    const job = await claimJob(context, { id, tenantId });
    if (!job) throw new Error('the job could not be claimed');
    await runJob(context, job, new RunControl());
  }

  /** Removes the waiting outbox messages; the returned function delivers them and all that follow. */
  async takeMessages(): Promise<() => Promise<void>> {
    const taken = await this.rows.rows<{ type: MessageType; message: string }>(
      'with taken as (delete from outbox returning id, type, message) select type, message from taken order by id',
    );
    return async () => {
      for (const { type, message } of taken) await this.deliver(type, JSON.parse(message), undefined);
      while ((await this.deliverWaiting({})) > 0);
    };
  }

  private context(source: Connector, { pageSize = 100 }: RunOptions): SyncContext {
    return {
      database: this.worker,
      openConnector: () => source,
      owner: 'a worker',
      settings: { ...defaultSettings, pageSize, capacityPollMs: 5 },
      log: silentLogger,
    };
  }

  /** Runs a queued job to its end, as `run` does. */
  async finish(tenantId: string, id: string, source: Connector, options: RunOptions = {}): Promise<void> {
    const context = this.context(source, options);
    for (;;) {
      const job = await claimJob(context, { id, tenantId });
      if (!job) break;
      // Concurrent, because a worker may wait until its batches are applied.
      let reading = true;
      const read = runJob(context, job, new RunControl()).finally(() => {
        reading = false;
      });
      while (reading) await this.deliverWaiting(options);
      await read;
      await this.rows.rows(
        `update sync_jobs set lease_until = now() - interval '1 second' where id = $1 and lease_until is not null`,
        [id],
      );
    }
    while ((await this.deliverWaiting(options)) > 0);
  }

  /** Releases a quarantined job. */
  async release(tenantId: string, jobId: string, options: RunOptions = {}): Promise<void> {
    const data = { job_id: jobId, reason: 'meant', by: 'test' };
    await releaseJob(this.worker, { id: newUuid(), tenant_id: tenantId, data });
    while ((await this.deliverWaiting(options)) > 0);
  }

  /** Delivers the waiting outbox messages in the chosen order; returns their number. */
  private async deliverWaiting({ at, choose = () => 0 }: RunOptions): Promise<number> {
    const waiting = await this.rows.rows<{ type: MessageType; message: string }>(
      'with taken as (delete from outbox returning id, type, message) select type, message from taken order by id',
    );
    const count = waiting.length;
    while (waiting.length > 0) {
      const [next] = waiting.splice(choose() % waiting.length, 1);
      if (!next) break;
      await this.deliver(next.type, JSON.parse(next.message), at);
      if (choose() % 3 === 1) await this.deliver(next.type, JSON.parse(next.message), at);
    }
    return count;
  }

  private async deliver(type: MessageType, message: Message, at: Date | undefined): Promise<void> {
    if (type === 'sync.batch.ready' || type === 'sync.record.ready')
      await applyBatch(this.directory, message as Message<typeof type>, { fixedTime: at });
    if (type === 'sync.sweep.requested') await sweepJob(this.directory, message as Message<typeof type>, at);
    if (type === 'sync.batch.applied') await applyProgress(this.worker, message as Message<typeof type>);
    if (type === 'sync.sweep.ended') await endSweep(this.worker, message as Message<typeof type>);
    if (type === 'sync.record.overtaken') await readOvertakenRecords(this.worker, message as Message<typeof type>);
    if (type === 'sync.job.ended') await clearEndedRuns(this.directory, message as Message<typeof type>);
    if (type === 'sync.sweep.held') await quarantine(this.worker, message as Message<typeof type>);
  }
}
