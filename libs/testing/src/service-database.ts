import type { ServiceName } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { DirectoryFixture } from './directory-fixture.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** A database of its own, seen twice: as one service, held to its grants, and as its administrator, who puts in what others would. */
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
