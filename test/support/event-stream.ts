import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeId, newUuid, type ServiceName } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { createConnector, type Tenant } from './client.js';
import { between, type Random } from './seeded-random.js';

const people = 60;
const producers: ServiceName[] = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'];
/** A job whose worker was killed waits for another worker, which may be killed, too. */
const jobWithinMs = 60_000;

class RolledBack extends Error {}

/**
 * Produces events until it is stopped: syncs of a CSV file that changes from job to job, and events that each service
 * records in its own transactions, some of which are rolled back. It continues while processes are killed.
 */
export class EventStream {
  /** Jobs acknowledged with 202. */
  readonly accepted = new Set<string>();
  /** Marks of recorded events: confirmed commits, and rolled-back ones. */
  readonly committed = new Set<string>();
  readonly rolledBack = new Set<string>();
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly tenants: readonly Tenant[],
    private readonly databases: readonly Database[],
    private readonly sourcesDir: string,
    private readonly random: Random,
  ) {}

  static async open(
    tenants: readonly Tenant[],
    options: { databaseUrl: string; sourcesDir: string; random: Random },
  ): Promise<EventStream> {
    const { databaseUrl, sourcesDir, random } = options;
    const databases = await Promise.all(
      producers.map((service) => Database.connect({ url: databaseUrl, service, poolSize: 1 })),
    );
    return new EventStream(tenants, databases, sourcesDir, random);
  }

  async start(): Promise<void> {
    const syncing = await Promise.all(
      this.tenants.map(async (tenant, nth) => {
        await writePeople(this.sourcesDir, nth, 0);
        const config = { path: `${nth}.csv`, external_id: 'ident', fields: { first_name: 'first', email: 'mail' } };
        return { tenant, nth, connector: await createConnector(tenant, { type: 'csv', name: 'HR', config }) };
      }),
    );
    this.running = Promise.all([
      ...syncing.map(({ tenant, nth, connector }) => this.sync(tenant, nth, connector)),
      ...this.databases.map((database) => this.record(database)),
    ]);
  }

  /** Records one event immediately. */
  async recordOne(tenant: Tenant): Promise<void> {
    await recordMarks(this.databases[0] as Database, tenant, [newUuid()], false);
  }

  /** Resolves when the last job has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async close(): Promise<void> {
    await this.stop();
    for (const database of this.databases) await database.close();
  }

  private async sync(tenant: Tenant, nth: number, connector: string): Promise<void> {
    for (let round = 1; !this.stopping.signal.aborted; round += 1) {
      await writePeople(this.sourcesDir, nth, round);
      const answer = await tenant.client
        .post('/v1/sync/trigger', { connector_id: connector })
        .catch(() => ({ status: 0, body: undefined }));
      if (answer.status === 202) {
        this.accepted.add(answer.body.job_id);
        await this.ended(tenant, answer.body.job_id);
      }
      await pause(between(this.random, 200, 800));
    }
  }

  private async ended(tenant: Tenant, job: string): Promise<void> {
    for (const end = Date.now() + jobWithinMs; Date.now() < end; await pause(200)) {
      const answer = await tenant.client.get(`/v1/sync/jobs/${job}`).catch(() => undefined);
      if (answer?.status === 200 && !['queued', 'running'].includes(answer.body.status)) return;
    }
  }

  private async record(database: Database): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const tenant = this.tenants[between(this.random, 0, this.tenants.length - 1)] as Tenant;
      const marks = Array.from({ length: between(this.random, 1, 3) }, () => newUuid());
      const rolledBack = this.random() < 0.1;
      // If it rejects, it is unknown whether the transaction was committed.
      await recordMarks(database, tenant, marks, rolledBack)
        .then(() => {
          for (const mark of marks) (rolledBack ? this.rolledBack : this.committed).add(mark);
        })
        .catch(() => pause(100));
      await pause(between(this.random, 50, 250));
    }
  }
}

/**
 * Writes `<nth>.csv`, in which a third of the people changes each round, atomically, so that a job never reads halves
 * of two files.
 */
export async function writePeople(sourcesDir: string, nth: number, round: number): Promise<void> {
  const lines = Array.from({ length: people }, (_, n) => {
    const version = Math.floor((round + n) / 3);
    return `${n},First${n}-${version},person${n}@tenant${nth}.example`;
  });
  const path = join(sourcesDir, `${nth}.csv`);
  await writeFile(`${path}.new`, `ident,first,mail\n${lines.join('\n')}\n`);
  await rename(`${path}.new`, path);
}

async function recordMarks(database: Database, tenant: Tenant, marks: string[], rolledBack: boolean): Promise<void> {
  const tenantId = decodeId('tenant', tenant.id) ?? '';
  const events = marks.map((mark) => ({
    type: 'user.updated' as const,
    occurredAt: new Date(),
    subjectId: newUuid(),
    details: { mark },
  }));
  try {
    await database.transaction(tenantId, async (tx) => {
      await recordEvents(tx, events);
      if (rolledBack) throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}
