import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { CheckedClient } from './checked-client.js';
import { Client, createTenant, sync, type Tenant } from './client.js';
import { Services } from './services.js';
import { createFewPeople, createSpecConnectors, writeAccountsAndMachines, writePeople } from './spec-sources.js';

/**
 * Two tenants with people, accounts and machines synced through the four services; the first has one deleted person.
 */
export class SpecDirectory {
  /** The last job of the first tenant's people. */
  peopleJob = '';

  private constructor(
    private readonly database: TestDatabase,
    private readonly sourcesDir: string,
    readonly services: Services,
    readonly operator: Client,
    readonly first: Tenant,
    readonly second: Tenant,
    readonly connectors: Awaited<ReturnType<typeof createSpecConnectors>>,
    readonly secondConnector: string,
  ) {}

  static async start(): Promise<SpecDirectory> {
    const database = await createTestDatabase();
    const sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-spec-'));
    await writePeople(sourcesDir, false);
    await writeAccountsAndMachines(sourcesDir);
    const services = await Services.start({ databaseUrl: database.url, sourcesDir });
    return SpecDirectory.withTenants(database, sourcesDir, services);
  }

  private static async withTenants(database: TestDatabase, sourcesDir: string, services: Services) {
    const operator = Client.operator(services.url, services.adminToken);
    const first = await createTenant(operator, 'First');
    const second = await createTenant(operator, 'Second');
    const connectors = await createSpecConnectors(first);
    const secondConnector = await createFewPeople(second);
    return new SpecDirectory(database, sourcesDir, services, operator, first, second, connectors, secondConnector);
  }

  /** Returns two further tenants of the same services, which have no people yet. */
  another(): Promise<SpecDirectory> {
    return SpecDirectory.withTenants(this.database, this.sourcesDir, this.services);
  }

  /** Syncs all connectors. */
  async fill(): Promise<void> {
    for (const connector of Object.values(this.connectors)) await this.completed(this.first, connector);
    await this.completed(this.second, this.secondConnector);
    await writePeople(this.sourcesDir, true);
    this.peopleJob = (await this.completed(this.first, this.connectors.people)).job_id;
  }

  async stop(): Promise<void> {
    await this.services.stop();
    await this.database.drop();
    await rm(this.sourcesDir, { recursive: true });
  }

  clientOf(tenant: Tenant): CheckedClient {
    return new CheckedClient(tenant.client);
  }

  /** Returns a client without a key. */
  stranger(): CheckedClient {
    return new CheckedClient(new Client(this.services.url, {}));
  }

  private async completed(tenant: Tenant, connector: string) {
    const job = await sync(tenant, connector);
    if (job.status !== 'completed') throw new Error(`the job is ${job.status}: ${job.error_message}`);
    return job;
  }
}
