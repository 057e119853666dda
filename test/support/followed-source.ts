import { type BrokerVhost, createTestDatabase, createVhost, hasBroker, type TestDatabase } from '@idsync/testing';
import { describe, expect } from '@jest/globals';
import { type Answer, Client } from './client.js';
import { Follower } from './follower.js';
import type { Gate } from './gate.js';
import { Services } from './services.js';

/** `describe` where the server is installed. Elsewhere the reason is printed; under CI it must be there. */
export function describeWith(isInstalled: boolean, what: string): typeof describe | typeof describe.skip {
  if (isInstalled) return describe;
  if (process.env.CI === 'true') throw new Error(`${what}: under CI it must be there`);
  process.stderr.write(`Skipped: ${what}\n`);
  return describe.skip;
}

interface Expected {
  /** What webhooks are told, in any order. */
  told: string[];
  /** Why one of the connectors read everything though changes were asked for. */
  becauseFull?: string;
  /** Those of them that only a full read can see. */
  unseenByChanges?: string[];
}

/** Two tenants that follow the same real sources through the four services: one reads everything each time, one what has changed. */
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

  /** Both read for the first time; the events of each kind that both are told. */
  async first(): Promise<Record<string, number>> {
    const [one, other] = await Promise.all([this.full.run('full'), this.changes.run('full')]);
    for (const { status, note } of [...one.jobs, ...other.jobs])
      expect([status, note]).toEqual(['completed', undefined]);
    expect(other.told).toEqual(one.told);
    await this.areAlike();
    const kinds: Record<string, number> = {};
    for (const line of one.told) {
      const kind = line.slice(0, line.indexOf(' '));
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return kinds;
  }

  /** Both read after something has happened at the source, are told the same, and show the same. */
  async after(act: () => Promise<unknown>, { told, becauseFull, unseenByChanges = [] }: Expected): Promise<void> {
    await act();
    const [full, changes] = await Promise.all([this.full.run(), this.changes.run()]);
    expect(full.told).toEqual([...told].sort());
    expect(changes.told).toEqual(told.filter((line) => !unseenByChanges.includes(line)).sort());
    const statuses = [...full.jobs, ...changes.jobs].map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 'completed'));
    const modes = changes.jobs.map(({ mode, note }) => (mode === 'changes' ? mode : note));
    expect(modes.filter((mode) => mode !== 'changes')).toEqual(becauseFull ? [becauseFull] : []);
    if (unseenByChanges.length > 0) expect((await this.changes.run('full')).told).toEqual([...unseenByChanges].sort());
    await this.areAlike();
  }

  /** Everything is read once more, and nothing comes of it, for whoever reads how. */
  async isSettled(): Promise<void> {
    const before = await this.changes.picture();
    for (const follower of [this.full, this.changes]) expect((await follower.run('full')).told).toEqual([]);
    expect(await this.changes.picture()).toEqual(before);
    await this.areAlike();
    await Promise.all([this.full.checkHistories(), this.changes.checkHistories()]);
  }

  /** An identity as both show it. */
  async identity(name: string): Promise<Answer['body']> {
    await this.changes.identity(name);
    return this.full.identity(name);
  }

  /** What an operator's test or discovery of a connector answers. */
  async probe(kind: 'test' | 'discover', connector = 0): Promise<Answer['body']> {
    const { tenant, connectors } = this.full;
    const path = `/admin/v1/tenants/${tenant.id}/connectors/${connectors[connector]}`;
    let { body } = await tenant.operator.post(`${path}/${kind}`, {});
    while (body.status === 'queued') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      ({ body } = await tenant.operator.get(`${path}/probes/${body.probe_id}`));
    }
    return body;
  }

  /** The server ends in the middle of being read and comes back: nobody is lost, and health says how it is. */
  async survives(gate: Gate, server: { down(): Promise<void>; up(): Promise<void> }): Promise<void> {
    const before = await this.full.picture();
    const { passed } = gate;
    await this.full.run();
    const down = gate.shutAfter((gate.passed - passed) / 2).then(() => server.down());
    const failed = await this.full.run();
    await down;
    expect([failed.jobs[0]?.status, failed.told]).toEqual(['failed', []]);
    expect(await this.full.picture()).toEqual(before);
    expect(await this.health()).toBe('failing');
    await server.up();
    gate.open();
    const next = await this.full.run();
    expect([next.jobs.map(({ status }) => status), next.told]).toEqual([next.jobs.map(() => 'completed'), []]);
    expect(await this.health()).toBe('ok');
  }

  private async health(): Promise<string> {
    const { tenant, connectors } = this.full;
    return (await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/connectors/${connectors[0]}`)).body.health;
  }

  private async areAlike(): Promise<void> {
    expect(await this.changes.picture()).toEqual(await this.full.picture());
  }
}
