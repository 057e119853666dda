import { type Message, newUuid, type RecordKind, type SourceRecord } from '@idsync/contracts';
import pg from 'pg';
import { until } from './until.js';

export interface ConnectorSeed {
  name?: string;
  type?: 'csv' | 'ldif';
  priority?: number;
  records?: RecordKind;
  /** Whether it maps a date of employments. */
  employments?: boolean;
}

/** Inserts rows that other services would have written, as the database administrator, and reads the results. */
export class DirectoryFixture {
  private constructor(private readonly client: pg.Pool) {}

  static connect(url: string): DirectoryFixture {
    // Its statements do not name the tenant for each table; Citus then moves rows between nodes. Others ignore the setting.
    const pool = new pg.Pool({ connectionString: url, max: 4, options: '-c citus.enable_repartition_joins=on' });
    // Dropping the database may cut a connection that is being closed.
    pool.on('error', () => undefined);
    return new DirectoryFixture(pool);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(sql, [...values])).rows;
  }

  async tenant(name = 'Test'): Promise<string> {
    const id = newUuid();
    await this.client.query('insert into tenants (id, name) values ($1, $2)', [id, name]);
    await this.client.query('insert into event_sequences (tenant_id, last) values ($1, 0)', [id]);
    return id;
  }

  async connector(tenantId: string, seed: ConnectorSeed = {}): Promise<string> {
    const id = newUuid();
    await this.client.query(
      `insert into connectors (id, tenant_id, type, name, priority, records, config) values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        id,
        tenantId,
        seed.type ?? 'csv',
        seed.name ?? id,
        seed.priority ?? 100,
        seed.records ?? 'user',
        seed.employments ? { fields: { hire_date: 'hired' } } : {},
      ],
    );
    return id;
  }

  /** Inserts a job of the connector, by default completed, so that another one may follow. */
  async job(tenantId: string, connectorId: string, status = 'completed'): Promise<string> {
    const id = newUuid();
    await this.client.query(`insert into sync_jobs (id, tenant_id, connector_id, status) values ($1, $2, $3, $4)`, [
      id,
      tenantId,
      connectorId,
      status,
    ]);
    return id;
  }

  /** Inserts a batch as the sync-worker leaves it, and returns the message that announces it. */
  async batch(
    tenantId: string,
    connectorId: string,
    jobId: string,
    seq: number,
    records: readonly SourceRecord[],
  ): Promise<Message<'sync.batch.ready'>> {
    await this.client.query(
      'insert into sync_batches (job_id, seq, tenant_id, connector_id, records) values ($1, $2, $3, $4, $5)',
      [jobId, seq, tenantId, connectorId, JSON.stringify(records)],
    );
    return { id: newUuid(), tenant_id: tenantId, data: { job_id: jobId, seq } };
  }

  /** Waits until a connection of this database waits for a lock, on whichever node. */
  async waitForBlockedLock(): Promise<void> {
    const elsewhere = process.env.CITUS_URL ? 'union all select 1 from citus_lock_waits' : '';
    const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' ${elsewhere}`;
    await until(async () => (await this.rows(sql)).length > 0, 'a connection that waits for a lock');
  }

  /** Returns the listed identities, parsed, in list order. */
  async identities<Shape = Record<string, unknown>>(tenantId: string): Promise<Shape[]> {
    const rows = await this.rows<{ document: string }>(
      `select document from identities where tenant_id = $1 and status <> 'deleted' order by created_at, id`,
      [tenantId],
    );
    return rows.map((row) => JSON.parse(row.document) as Shape);
  }
}
