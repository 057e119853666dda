import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createTestDatabase, freePort, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Backend, PlainProxy } from './support/plain-proxy.js';
import { adminToken, environmentOf, programOf } from './support/services.js';

/** Far more than the proxy takes to see that a gateway is not ready, on a machine that is busy too. */
const drainDelayMs = 2_000;
const lookMs = 50;
const callers = 6;

class GatewayProcess implements Backend {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly databaseUrl: string,
    private readonly port: number,
    private readonly internalPort: number,
  ) {}

  static async create(databaseUrl: string): Promise<GatewayProcess> {
    return new GatewayProcess(databaseUrl, await freePort(), await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get readyUrl(): string {
    return `http://127.0.0.1:${this.internalPort}/readyz`;
  }

  start(): void {
    const env = {
      ...environmentOf({ databaseUrl: this.databaseUrl, sourcesDir: 'samples' }, this.port, this.internalPort),
      DRAIN_DELAY_MS: String(drainDelayMs),
    };
    this.child = spawn(process.execPath, [programOf('gateway')], { stdio: 'ignore', env });
  }

  /** SIGTERM; resolves with the exit code, and what `readyz` and the API said meanwhile. */
  async end(): Promise<{ code: number | null; ready: number; health: number; connection: string | null }> {
    const { child } = this;
    if (!child) return { code: null, ready: 0, health: 0, connection: null };
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    let ready = 200;
    while (ready === 200) ready = (await fetch(this.readyUrl)).status;
    const health = await fetch(`${this.url}/v1/health`);
    await exit;
    return { code: child.exitCode, ready, health: health.status, connection: health.headers.get('connection') };
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }
}

async function until(what: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, lookMs))) {
    if (what()) return;
  }
  throw new Error('it did not come true in time');
}

describe('gateways that are replaced one after another', () => {
  let database: TestDatabase;
  let gateways: GatewayProcess[];
  let proxy: PlainProxy;
  let connectorId: string;
  let apiKey: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    gateways = [await GatewayProcess.create(database.url), await GatewayProcess.create(database.url)];
    for (const gateway of gateways) gateway.start();
    proxy = await PlainProxy.start(gateways, lookMs);
    await until(() => gateways.every((gateway) => proxy.sends(gateway)));
    const { id: tenant } = await operator('/tenants', { name: 'Rolling' });
    apiKey = (await operator(`/tenants/${tenant}/api-keys`, { name: 'test' })).key ?? '';
    const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
    const source = { type: 'csv', name: 'HR', records: 'user', priority: 10, config };
    connectorId = (await operator(`/tenants/${tenant}/connectors`, source)).id ?? '';
  });

  afterAll(async () => {
    await proxy?.stop();
    for (const gateway of gateways ?? []) gateway.kill();
    await database?.drop();
  });

  async function operator(path: string, body: object): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${proxy.url}/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  }

  it('fail no request, and each serves on until nobody sends it any', async () => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const read = () => fetch(`${proxy.url}/v1/identities?limit=1`, { headers });
    const write = () =>
      fetch(`${proxy.url}/v1/sync/trigger`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ connector_id: connectorId }),
      });
    const told = new Map<number, number>();
    let over = false;
    const calling = Array.from({ length: callers }, async (_, caller) => {
      while (!over) {
        const { status } = await (caller % 2 === 0 ? read() : write()).then(async (answer) => {
          await answer.arrayBuffer();
          return answer;
        });
        told.set(status, (told.get(status) ?? 0) + 1);
      }
    });

    for (const gateway of gateways) {
      const { code, ready, health, connection } = await gateway.end();
      expect({ code, ready, health, connection }).toEqual({ code: 0, ready: 503, health: 200, connection: 'close' });
      const before = proxy.given.get(gateway.url) ?? 0;
      expect(before).toBeGreaterThan(0);
      gateway.start();
      await until(() => (proxy.given.get(gateway.url) ?? 0) > before + 20);
    }
    over = true;
    await Promise.all(calling);
    expect([...told.keys()].sort()).toEqual([200, 202]);
  });
});
