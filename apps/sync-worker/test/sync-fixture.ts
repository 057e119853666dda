import type { Connector } from '@idsync/connectors';
import { type Message, newUuid, type SourceRecord } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { applyProgress, endSweep } from '../src/job-messages.js';
import { defaultSettings, type SyncContext, type SyncSettings } from '../src/sync-context.js';

/** Encryption key of the worker. */
export const testKey = Buffer.alloc(32, 7);

export interface JobRow {
  status: string;
  error_message: string | null;
  cancel_reason: string | null;
  started_at: Date | null;
  completed_at: Date | null;
  progress_pct: number;
  records_read: number;
  records_applied: number;
  records_failed: number;
  batches_written: number;
  batches_processed: number;
  batches_total: number | null;
  attempts: number;
  lease_token: number;
  lease_owner: string | null;
  lease_until: Date | null;
}

/** A database with tenants, connectors and jobs, and a fake directory that only records the batches. */
export class SyncFixture {
  /** Permits all batches. */
  readonly shares = { of: async () => defaultSettings.batchesInFlight };
  /** External ids in the order in which the directory received them. */
  readonly applied: string[] = [];

  private own!: ServiceDatabase;

  private constructor() {}

  static async create(): Promise<SyncFixture> {
    const fixture = new SyncFixture();
    fixture.own = await ServiceDatabase.start('sync-worker');
    return fixture;
  }

  /** Returns a fixture that the tests of a file share; call it at the beginning of the file. */
  static ofFile(): SyncFixture {
    const fixture = new SyncFixture();
    beforeAll(async () => {
      fixture.own = await ServiceDatabase.start('sync-worker');
    });
    afterAll(() => fixture.own?.close());
    return fixture;
  }

  get rows(): DirectoryFixture {
    return this.own.fixture;
  }

  get database(): Database {
    return this.own.database;
  }

  get url(): string {
    return this.own.url;
  }

  close(): Promise<void> {
    return this.own.close();
  }

  context(source: Connector, settings: Partial<SyncSettings> = {}): SyncContext {
    return {
      database: this.database,
      openConnector: () => source,
      owner: newUuid(),
      encryptionKeys: [testKey],
      settings: { ...defaultSettings, pageSize: 10, ...settings },
      shares: this.shares,
      log: silentLogger,
    };
  }

  /** Inserts a job as the gateway does. */
  async queue(tenantId: string, connectorId: string): Promise<{ id: string; tenantId: string }> {
    const id = newUuid();
    await this.rows.rows('insert into sync_jobs (id, tenant_id, connector_id, keyed) values ($1, $2, $3, true)', [
      id,
      tenantId,
      connectorId,
    ]);
    return { id, tenantId };
  }

  /** Inserts a queued job of a new connector in a new tenant. */
  async queueAlone(): Promise<{ id: string; tenantId: string; connectorId: string }> {
    const tenantId = await this.rows.tenant();
    const connectorId = await this.rows.connector(tenantId);
    return { ...(await this.queue(tenantId, connectorId)), connectorId };
  }

  async job(id: string): Promise<JobRow> {
    const [job] = await this.rows.rows<JobRow>(
      `select status, error_message, cancel_reason, started_at, completed_at, progress_pct, records_read::int,
              records_applied::int, records_failed::int, batches_written, batches_processed, batches_total, attempts,
              lease_token::int, lease_owner, lease_until from sync_jobs where id = $1`,
      [id],
    );
    if (!job) throw new Error(`no job ${id}`);
    return job;
  }

  /** Expires the lease of a job. */
  async expireLease(jobId: string): Promise<void> {
    await this.rows.rows(`update sync_jobs set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
  }

  async events(jobId: string): Promise<{ type: string; details: Record<string, unknown> }[]> {
    return this.rows.rows('select type, details from events where job_id = $1 order by sequence', [jobId]);
  }

  async recordErrors(jobId: string): Promise<{ line: number | null; message: string }[]> {
    return this.rows.rows('select line::int, message from sync_record_errors where job_id = $1 order by id', [jobId]);
  }

  /** Deletes and returns the announced batches in the outbox, as the relay would. */
  async announced(): Promise<Message<'sync.batch.ready'>[]> {
    const rows = await this.rows.rows<{ message: string }>(
      `with taken as (delete from outbox where type in ('sync.batch.ready', 'sync.record.ready') returning id, message)
       select message from taken order by id`,
    );
    return rows.map((row) => JSON.parse(row.message) as Message<'sync.batch.ready'>);
  }

  /** Applies an announced batch as the directory would; undefined if the batch no longer exists. */
  async apply(ready: Message<'sync.batch.ready'>): Promise<Message<'sync.batch.applied'> | undefined> {
    const [batch] = await this.rows.rows<{ records: string }>(
      'select records from sync_batches where job_id = $1 and seq = $2',
      [ready.data.job_id, ready.data.seq],
    );
    if (!batch) return undefined;
    const records = JSON.parse(batch.records) as SourceRecord[];
    this.applied.push(...records.map((record) => record.external_id));
    return {
      id: newUuid(),
      tenant_id: ready.tenant_id,
      data: { ...ready.data, created: records.length, updated: 0, unchanged: 0, errors: [] },
    };
  }

  /** Answers every requested sweep with 0 deletions; `note` says why it is incomplete. Returns the number of sweeps. */
  async sweepAll(note?: string): Promise<number> {
    const rows = await this.rows.rows<{ message: string }>(
      `delete from outbox where type = 'sync.sweep.requested' returning message`,
    );
    for (const row of rows) {
      const { tenant_id, data } = JSON.parse(row.message) as Message<'sync.sweep.requested'>;
      await endSweep(this.database, { id: newUuid(), tenant_id, data: { ...data, deleted: 0, note } });
    }
    return rows.length;
  }

  /** Applies all announced batches and passes the answers to the worker. Returns the number of batches. */
  async applyAll(): Promise<number> {
    const ready = await this.announced();
    for (const message of ready) {
      const answer = await this.apply(message);
      if (answer) await applyProgress(this, answer);
    }
    await this.sweepAll();
    return ready.length;
  }
}

export const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `r${from + at}`);
