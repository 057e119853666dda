import type { ServiceName } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { DirectoryFixture } from './directory-fixture.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/**
 * A database for one test with two connections: one as a service with its grants, one as the administrator, who inserts
 * the rows of others.
 */
export class ServiceDatabase {
  private constructor(
    private readonly own: TestDatabase,
    readonly database: Database,
    readonly fixture: DirectoryFixture,
  ) {}

  static async start(service: ServiceName): Promise<ServiceDatabase> {
    const own = await createTestDatabase();
    const database = await Database.connect({ url: own.url, service });
    return new ServiceDatabase(own, database, DirectoryFixture.connect(own.url));
  }

  get url(): string {
    return this.own.url;
  }

  async close(): Promise<void> {
    await this.fixture.close();
    await this.database.close();
    await this.own.drop();
  }
}
