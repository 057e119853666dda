import type { Connector } from '@idsync/connectors';
import {
  type JobMode,
  type Message,
  type MessageType,
  newUuid,
  type OperationInput,
  type OperationType,
} from '@idsync/contracts';
import { Database } from '@idsync/database';
import { silentLogger } from '@idsync/runtime';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { applyBatch } from '../../apps/directory/src/batch/apply-batch.js';
import { evaluateFindings } from '../../apps/directory/src/findings/evaluate-findings.js';
import { proposeMatches } from '../../apps/directory/src/matching/propose-matches.js';
import { runOperation } from '../../apps/directory/src/operations/run-operation.js';
import { clearEndedRuns, sweepJob } from '../../apps/directory/src/sweep/sweep-job.js';
import { claimJob } from '../../apps/sync-worker/src/claim-job.js';
import {
  applyProgress,
  cancelRequestedJob,
  endSweep,
  quarantine,
  readOvertakenRecords,
  releaseJob,
} from '../../apps/sync-worker/src/job-messages.js';
import { RunControl } from '../../apps/sync-worker/src/run-control.js';
import { runJob } from '../../apps/sync-worker/src/run-job.js';
import { defaultSettings, type SyncContext } from '../../apps/sync-worker/src/sync-context.js';
import { Killed, killedAt } from './killed-at.js';

export interface RunOptions {
  mode?: JobMode;
  /** The record of a `record` job. */
  externalId?: string;
  pageSize?: number;
  dryRun?: boolean;
  /** Deletes the records of a deleted connector. */
  retires?: boolean;
  /** The time at which the directory applies batches. */
  at?: Date;
  /** Chooses the next waiting message, and whether it is delivered twice. */
  choose?: () => number;
  /** Returns the statement of the next message before which its process is killed, or undefined. */
  kill?: () => number | undefined;
  /** Fuzzy matching follows the end of each job. */
  matching?: boolean;
}

export interface Operated {
  id: string;
  status: string;
  // biome-ignore lint/suspicious/noExplicitAny: the result depends on the type of the operation
  result: any;
}

export const encryptionKeys: [Buffer] = [Buffer.alloc(32, 7)];

/** The share of a job in the queue of batches, which changes with other jobs. */
const sharesOf = ({ choose = () => 19 }: RunOptions): SyncContext['shares'] => ({
  of: async () => 1 + (choose() % 20),
});

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

  get url(): string {
    return this.own.url;
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
    const { mode = 'auto', dryRun = false, externalId = null, retires = false } = options;
    const id = newUuid();
    await this.rows.rows(
      `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, dry_run, external_id, retires)
       values ($1, $2, $3, true, $4, $5, $6, $7)`,
      [id, tenantId, connectorId, mode, dryRun, externalId, retires],
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
      for (const { type, message } of taken) await this.deliver(type, JSON.parse(message), {});
      while ((await this.deliverWaiting({})) > 0);
    };
  }

  private context(source: Connector, { pageSize = 100, ...options }: RunOptions): SyncContext {
    return {
      shares: sharesOf(options),
      database: this.worker,
      openConnector: () => source,
      encryptionKeys,
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

  /** Cancels a job that has not ended. */
  async cancel(tenantId: string, jobId: string, options: RunOptions = {}): Promise<void> {
    const data = { job_id: jobId, reason: 'half an export', by: 'test' };
    await cancelRequestedJob(this.worker, { id: newUuid(), tenant_id: tenantId, data });
    while ((await this.deliverWaiting(options)) > 0);
  }

  /** Runs an operation as the directory does, with its message delivered as `options` says. */
  async operate<T extends OperationType>(
    tenantId: string,
    type: T,
    input: OperationInput<T>,
    options: RunOptions = {},
  ): Promise<Operated> {
    const id = newUuid();
    await this.rows.rows('insert into operations (id, tenant_id, type, input) values ($1, $2, $3, $4)', [
      id,
      tenantId,
      type,
      JSON.stringify(input),
    ]);
    const message = { id: newUuid(), tenant_id: tenantId, data: { operation_id: id } };
    await this.survive(options, (directory) => runOperation(directory, message, options.at));
    await this.survive(options, (directory) => proposeMatches(directory, tenantId, { fixedTime: options.at }));
    while ((await this.deliverWaiting(options)) > 0);
    const [row] = await this.rows.rows<Operated>('select id, status, result from operations where id = $1', [id]);
    if (!row) throw new Error('the operation does not exist');
    return row;
  }

  /** Evaluates all findings now, which also resolves managers who were added late. */
  evaluate(tenantId: string): Promise<void> {
    return evaluateFindings(this.directory, tenantId, { until: new Date(8.64e15), force: true });
  }

  /** Delivers the waiting outbox messages in the chosen order; returns their number. */
  private async deliverWaiting(options: RunOptions): Promise<number> {
    const { choose = () => 0 } = options;
    const waiting = await this.rows.rows<{ type: MessageType; message: string }>(
      'with taken as (delete from outbox returning id, type, message) select type, message from taken order by id',
    );
    const count = waiting.length;
    while (waiting.length > 0) {
      const [next] = waiting.splice(choose() % waiting.length, 1);
      if (!next) break;
      await this.deliver(next.type, JSON.parse(next.message), options);
      if (choose() % 3 === 1) await this.deliver(next.type, JSON.parse(next.message), options);
    }
    return count;
  }

  private async deliver(type: MessageType, message: Message, options: RunOptions): Promise<void> {
    const { at } = options;
    await this.survive(options, async (directory, worker, attempt) => {
      if (type === 'sync.batch.ready' || type === 'sync.record.ready')
        await applyBatch(directory, message as Message<typeof type>, { fixedTime: at, attempt });
      if (type === 'sync.sweep.requested') await sweepJob(directory, message as Message<typeof type>, at);
      if (type === 'sync.batch.applied')
        await applyProgress({ database: worker, shares: sharesOf(options) }, message as Message<typeof type>);
      if (type === 'sync.sweep.ended') await endSweep(worker, message as Message<typeof type>);
      if (type === 'sync.record.overtaken') await readOvertakenRecords(worker, message as Message<typeof type>);
      if (type === 'sync.job.cancel_requested') await cancelRequestedJob(worker, message as Message<typeof type>);
      if (type === 'sync.sweep.held') await quarantine(worker, message as Message<typeof type>);
      if (type !== 'sync.job.ended') return;
      await clearEndedRuns(directory, message as Message<typeof type>);
      if (options.matching) await proposeMatches(directory, message.tenant_id, { fixedTime: at });
    });
  }

  /** Does the work of a message again after each kill. */
  private async survive(
    { kill = () => undefined }: RunOptions,
    work: (directory: Database, worker: Database, attempt: number) => Promise<unknown>,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const after = attempt < 3 ? kill() : undefined;
      try {
        await work(killedAt(this.directory, after), killedAt(this.worker, after), attempt);
        return;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
  }
}
