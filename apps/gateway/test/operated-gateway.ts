import type { GatewayConfig } from '@idsync/runtime';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import type { HttpOptions } from '../src/http/http-options.js';
import { type Gateway, startGateway } from '../src/start.js';
import { adminToken, gatewayConfig } from './gateway-config.js';

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of bodies
export type Body = any;

/** Reads a body; a stream of events, which has no end, is closed. */
export async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text();
  await answer.body?.cancel();
  return '';
}

/** A gateway on its own database, with an operator. */
export class OperatedGateway {
  private closed: Promise<void> | undefined;

  private constructor(
    readonly database: TestDatabase,
    readonly fixture: DirectoryFixture,
    private readonly gateway: Gateway,
  ) {}

  static async start(given: Partial<GatewayConfig> = {}, options: HttpOptions = {}) {
    const database = await createTestDatabase();
    const gateway = await startGateway(gatewayConfig(database.url, given), options);
    return new OperatedGateway(database, DirectoryFixture.connect(database.url), gateway);
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Calls a path of the operator API. */
  async operator(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
    const { status, body: answer } = await this.operatorAs(adminToken, method, path, body);
    return { status, body: answer };
  }

  /** Calls a path of the operator API with a token. */
  async operatorAs(
    token: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Body; requestId: string | null }> {
    const answer = await fetch(`${this.url}/admin/v1${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await textOf(answer);
    const requestId = answer.headers.get('x-request-id');
    const isJson = text !== '' && answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, body: isJson ? JSON.parse(text) : {}, requestId };
  }

  /** Starts another gateway on the same database. */
  another(given: Partial<GatewayConfig>, options: HttpOptions = {}): Promise<Gateway> {
    return startGateway(gatewayConfig(this.database.url, given), options);
  }

  /** Shuts the gateway down; its database remains until `close`. */
  closeGateway(): Promise<void> {
    this.closed ??= this.gateway.close();
    return this.closed;
  }

  async close(): Promise<void> {
    await this.closeGateway();
    await this.fixture.close();
    await this.database.drop();
  }
}
