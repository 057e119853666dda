import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import type { GatewayConfig } from '../src/gateway-config.js';
import { type Gateway, startGateway } from '../src/start.js';
import { adminToken, gatewayConfig } from './gateway-config.js';

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of bodies
export type Body = any;

/** A gateway on its own database, with an operator. */
export class OperatedGateway {
  private constructor(
    readonly database: TestDatabase,
    readonly fixture: DirectoryFixture,
    private readonly gateway: Gateway,
  ) {}

  static async start(given: Partial<GatewayConfig> = {}) {
    const database = await createTestDatabase();
    const gateway = await startGateway(gatewayConfig(database.url, given));
    return new OperatedGateway(database, DirectoryFixture.connect(database.url), gateway);
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Calls a path of the operator API. */
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
