import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { type Gateway, startGateway } from '../src/start.js';

const adminToken = 'the-operators-token-of-this-test';

// biome-ignore lint/suspicious/noExplicitAny: what a test asserts is what it expects to find
export type Body = any;

/** A gateway on a database of its own, and its operator. */
export class OperatedGateway {
  private constructor(
    readonly database: TestDatabase,
    readonly fixture: DirectoryFixture,
    private readonly gateway: Gateway,
  ) {}

  static async start({
    encryptionKey = Buffer.alloc(32, 1),
    allowedCidrs = [] as string[],
    requestsPerMinute = undefined as number | undefined,
  } = {}) {
    const database = await createTestDatabase();
    const gateway = await startGateway({
      databaseUrl: database.url,
      host: '127.0.0.1',
      port: 0,
      adminToken,
      encryptionKeys: [encryptionKey],
      allowedCidrs,
      requestsPerMinute,
      logLevel: 'fatal',
    });
    return new OperatedGateway(database, DirectoryFixture.connect(database.url), gateway);
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Calls a path of the operator interface. */
  async operator(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
    const answer = await fetch(`${this.url}/admin/v1${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), authorization: `Bearer ${adminToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.fixture.close();
    await this.database.drop();
  }
}
