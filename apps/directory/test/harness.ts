import { newUuid, type OperationInput, type OperationType, type SourceRecord } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { applyBatch } from '../src/batch/apply-batch.js';
import { proposeMatches } from '../src/matching/propose-matches.js';
import { runOperation } from '../src/operations/run-operation.js';
import { applyPlanned } from './apply-planned.js';
import { directoryFaults } from './directory-faults.js';

export interface OperationOutcome {
  id: string;
  status: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test asserts is what it expects to find
  result: any;
}

/** A directory with its own database and one tenant at a time, driven by the functions that its consumers call. */
export class Harness {
  tenant = '';
  private own!: ServiceDatabase;

  private constructor() {}

  static async create(): Promise<Harness> {
    const harness = new Harness();
    harness.own = await ServiceDatabase.start('directory');
    return harness;
  }

  /** Returns a harness that the tests of a file share; call it at the beginning of the file. */
  static ofFile(): Harness {
    const harness = new Harness();
    beforeAll(async () => {
      harness.own = await ServiceDatabase.start('directory');
    });
    afterAll(() => harness.own?.close());
    return harness;
  }

  get database(): Database {
    return this.own.database;
  }

  get fixture(): DirectoryFixture {
    return this.own.fixture;
  }

  get url(): string {
    return this.own.url;
  }

  close(): Promise<void> {
    return this.own.close();
  }

  async newTenant(): Promise<void> {
    this.tenant = await this.fixture.tenant();
  }

  /** Runs a connector with one batch, including the work after its end. Returns the job id. */
  sync(connector: string, records: readonly SourceRecord[], at?: string): Promise<string> {
    return this.syncInBatches(connector, [records], at);
  }

  /** Runs a connector with these batches, including the work after its end. Returns the job id. */
  async syncInBatches(connector: string, batches: readonly (readonly SourceRecord[])[], at?: string): Promise<string> {
    const job = await this.fixture.job(this.tenant, connector);
    const now = at === undefined ? undefined : new Date(at);
    for (const [seq, records] of batches.entries()) {
      const message = await this.fixture.batch(this.tenant, connector, job, seq, records);
      await applyBatch(this.database, message, { fixedTime: now });
    }
    await applyPlanned(this, job, now);
    await proposeMatches(this.database, this.tenant, { fixedTime: now });
    return job;
  }

  /** Runs an operation with its message delivered twice, and checks the directory for inconsistencies. */
  async operate<T extends OperationType>(type: T, input: OperationInput<T>, at?: string): Promise<OperationOutcome> {
    const id = newUuid();
    await this.fixture.rows('insert into operations (id, tenant_id, type, input) values ($1, $2, $3, $4)', [
      id,
      this.tenant,
      type,
      JSON.stringify(input),
    ]);
    const now = at === undefined ? undefined : new Date(at);
    const message = { id: newUuid(), tenant_id: this.tenant, data: { operation_id: id } };
    await runOperation(this.database, message, now);
    await runOperation(this.database, message, now);
    await proposeMatches(this.database, this.tenant, { fixedTime: now });
    const [row] = await this.fixture.rows<OperationOutcome>('select id, status, result from operations where id = $1', [
      id,
    ]);
    const faults = await directoryFaults(this.fixture, this.tenant);
    if (!row || faults.length > 0) throw new Error(faults.join('\n') || 'the operation does not exist');
    return row;
  }

  /** External ids by identity. */
  async people(): Promise<string[][]> {
    const rows = await this.fixture.rows<{ names: string[] }>(
      `select array_agg(r.external_id order by r.external_id) as names from source_records r
        where r.tenant_id = $1 and r.identity_id is not null group by r.identity_id order by 1`,
      [this.tenant],
    );
    return rows.map(({ names }) => names);
  }

  async record(externalId: string): Promise<{ id: string; identity_id: string; status: string; fields: object }> {
    const [row] = await this.fixture.rows<{ id: string; identity_id: string; status: string; fields: object }>(
      'select * from source_records where tenant_id = $1 and external_id = $2',
      [this.tenant, externalId],
    );
    if (!row) throw new Error(`there is no record ${externalId}`);
    return row;
  }

  async identityOf(externalId: string): Promise<string> {
    return (await this.record(externalId)).identity_id;
  }

  /** Types of the last events, oldest first. */
  async lastEvents(count: number): Promise<string[]> {
    const rows = await this.fixture.rows<{ type: string }>(
      'select type from events where tenant_id = $1 order by sequence desc limit $2',
      [this.tenant, count],
    );
    return rows.map(({ type }) => type).reverse();
  }
}

/** A record as a connector returns it, with one value per field. */
export function row(external_id: string, values: Record<string, string>): SourceRecord {
  return { external_id, fields: Object.fromEntries(Object.entries(values).map(([field, value]) => [field, [value]])) };
}
