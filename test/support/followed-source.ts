import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  hasBroker,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { describe, expect } from '@jest/globals';
import { type Answer, Client } from './client.js';
import { Follower } from './follower.js';
import type { Gate } from './gate.js';
import { Services } from './services.js';

/** Returns `describe` if the server is installed. Otherwise prints the reason, or throws in CI. */
export function describeWith(isInstalled: boolean, what: string): typeof describe | typeof describe.skip {
  if (isInstalled) return describe;
  if (process.env.CI === 'true') throw new Error(`${what}: this is mandatory in CI`);
  process.stderr.write(`Skipped: ${what}\n`);
  return describe.skip;
}

interface Expected {
  /** Expected events, in any order. */
  events: string[];
  /** Expected reasons why connectors read everything although changes were requested. */
  becauseFull?: string | string[];
  /** The events that only a full read can detect. */
  unseenByChanges?: string[];
}

/** Two tenants that read the same real sources through the four services: one always in full, one by changes. */
export class FollowedSource {
  private constructor(
    private readonly database: TestDatabase,
    private readonly vhost: BrokerVhost | undefined,
    private readonly services: Services,
    readonly full: Follower,
    readonly changes: Follower,
  ) {}

  static async start(sources: readonly object[]): Promise<FollowedSource> {
    const database = await createTestDatabase();
    const vhost = hasBroker() ? await createVhost() : undefined;
    const services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: '/',
      allowedCidrs: '127.0.0.0/8',
      sourceCidrs: '127.0.0.0/8',
    });
    const operator = Client.operator(services.url, services.adminToken);
    const [full, changes] = [
      await Follower.start(operator, 'full', sources),
      await Follower.start(operator, 'changes', sources),
    ];
    return new FollowedSource(database, vhost, services, full, changes);
  }

  async stop(): Promise<void> {
    await this.services.stop();
    await this.full.close();
    await this.changes.close();
    await this.vhost?.drop();
    await this.database.drop();
  }

  /** Reads for the first time with both; returns the number of events per kind, which must be equal. */
  async first(): Promise<Record<string, number>> {
    const [one, other] = await Promise.all([this.full.run('full'), this.changes.run('full')]);
    for (const { status, note } of [...one.jobs, ...other.jobs])
      expect([status, note]).toEqual(['completed', undefined]);
    expect(other.events).toEqual(one.events);
    await this.expectEqualState();
    const kinds: Record<string, number> = {};
    for (const line of one.events) {
      const kind = line.slice(0, line.indexOf(' '));
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return kinds;
  }

  /** Reads with both after a change at the source; both must emit the expected events and show the same state. */
  async after(
    act: () => Promise<unknown>,
    { events, becauseFull = [], unseenByChanges = [] }: Expected,
  ): Promise<void> {
    await act();
    const [full, changes] = await Promise.all([this.full.run(), this.changes.run()]);
    expect(full.events).toEqual([...events].sort());
    expect(changes.events).toEqual(events.filter((line) => !unseenByChanges.includes(line)).sort());
    const statuses = [...full.jobs, ...changes.jobs].map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 'completed'));
    const modes = changes.jobs.map(({ mode, note }) => (mode === 'changes' ? mode : note));
    expect(modes.filter((mode) => mode !== 'changes')).toEqual([becauseFull].flat());
    if (unseenByChanges.length > 0)
      expect((await this.changes.run('full')).events).toEqual([...unseenByChanges].sort());
    await this.expectEqualState();
  }

  /** Checks that another full read emits no event. */
  async expectNoFurtherEvents(): Promise<void> {
    const before = await this.changes.snapshot();
    for (const follower of [this.full, this.changes]) expect((await follower.run('full')).events).toEqual([]);
    expect(await this.changes.snapshot()).toEqual(before);
    await this.expectEqualState();
    await Promise.all([this.full.checkHistories(), this.changes.checkHistories()]);
  }

  /** Returns an identity, which must be equal in both. */
  async identity(name: string): Promise<Answer['body']> {
    await this.changes.identity(name);
    return this.full.identity(name);
  }

  /** Returns the result of a connector's test or discovery. */
  async probe(kind: 'test' | 'discover', connector = 0): Promise<Answer['body']> {
    const { tenant, connectors } = this.full;
    const path = `/admin/v1/tenants/${tenant.id}/connectors/${connectors[connector]}`;
    let { body } = await tenant.operator.post(`${path}/${kind}`, {});
    return until(async () => {
      if (body.status === 'queued') ({ body } = await tenant.operator.get(`${path}/probes/${body.probe_id}`));
      return body.status !== 'queued' && body;
    }, `the end of the ${kind}`);
  }

  /** Restarts the server while it is being read: the same jobs must complete without deleting anybody. */
  async survivesRestart(gate: Gate, server: { down(): Promise<void>; up(): Promise<void> }): Promise<void> {
    const before = await this.full.snapshot();
    const { passed } = gate;
    await this.full.run();
    const down = gate.shutAfter((gate.passed - passed) / 2).then(() => server.down());
    const running = this.full.run();
    await down;
    expect(await this.full.snapshot()).toEqual(before);
    await server.up();
    gate.open();
    const { jobs, events } = await running;
    expect([jobs.map(({ status }) => status), events]).toEqual([jobs.map(() => 'completed'), []]);
    expect(await this.full.snapshot()).toEqual(before);
    expect(await this.health()).toBe('ok');
  }

  private async health(): Promise<string> {
    const { tenant, connectors } = this.full;
    return (await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/connectors/${connectors[0]}`)).body.health;
  }

  private async expectEqualState(): Promise<void> {
    expect(await this.changes.snapshot()).toEqual(await this.full.snapshot());
  }
}
