import { setTimeout as pause } from 'node:timers/promises';
import { freePort, PrivateBroker, PrivatePostgres, testProgram, until } from '@idsync/testing';
import { adminToken, environmentOf, programOf, type ServicesOptions } from './services.js';
import { Supervised } from './supervised.js';

const leaseMs = 2_500;

/** Leases of seconds instead of half a minute, and a retry schedule that does not end within a test. */
const shortLeases = {
  settings: {
    leaseMs,
    exchangeMs: 1_000,
    pollMs: 250,
    retryMs: 200,
    retryDelays: [100, 200, 400, ...Array<number>(500).fill(800)],
    breaker: { threshold: 5, firstPauseMs: 200, longestPauseMs: 1_000 },
  },
  limits: { exchangeMs: 1_000, connectMs: 500, dnsMs: 500 },
};

export const faultKinds = [
  'dispatcher',
  'frozen',
  'directory',
  'sync-worker',
  'gateway',
  'broker',
  'postgres',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** Index of the dispatcher. */
  which: 0 | 1;
  /** How long a killed process stays down or a frozen one is frozen, beyond its lease. */
  downMs: number;
}

/** A deployment for one test: PostgreSQL, RabbitMQ, the services, and two dispatchers, as child processes. */
export class FaultMachine {
  readonly dispatchers: [Supervised, Supervised];
  private readonly services: Record<'gateway' | 'directory' | 'sync-worker', Supervised>;
  private readonly recovering = new Map<unknown, Promise<void>>();

  private constructor(
    readonly postgres: PrivatePostgres,
    private readonly broker: PrivateBroker | undefined,
    readonly url: string,
    options: ServicesOptions,
  ) {
    const env = environmentOf(options, Number(new URL(url).port));
    const dispatcher = (nth: number) =>
      new Supervised(`dispatcher ${nth}`, [testProgram('short-lease-dispatcher'), JSON.stringify(shortLeases)], env);
    this.dispatchers = [dispatcher(1), dispatcher(2)];
    const service = (name: 'gateway' | 'directory' | 'sync-worker') => new Supervised(name, [programOf(name)], env);
    this.services = {
      gateway: service('gateway'),
      directory: service('directory'),
      'sync-worker': service('sync-worker'),
    };
  }

  static async start({ amqp, sourcesDir }: { amqp: boolean; sourcesDir: string }): Promise<FaultMachine> {
    const [postgres, broker] = await Promise.allSettled([
      PrivatePostgres.start(),
      amqp ? PrivateBroker.start() : undefined,
    ]);
    if (postgres.status === 'rejected' || broker.status === 'rejected') {
      for (const each of [postgres, broker]) if (each.status === 'fulfilled') await each.value?.remove();
      throw (postgres.status === 'rejected' ? postgres : (broker as PromiseRejectedResult)).reason;
    }
    const options = {
      databaseUrl: postgres.value.url,
      amqpUrl: broker.value?.url,
      sourcesDir,
      allowedCidrs: '127.0.0.0/8',
    };
    const url = `http://127.0.0.1:${await freePort()}`;
    const machine = new FaultMachine(postgres.value, broker.value, url, options);
    for (const process of machine.processes) process.start();
    try {
      await machine.up();
    } catch (error) {
      await machine.remove();
      throw error;
    }
    return machine;
  }

  get adminToken(): string {
    return adminToken;
  }

  /** Last output of processes that ended without being killed. */
  get unexpectedEnds(): string[] {
    return this.processes.flatMap(({ unexpectedEnds }) => unexpectedEnds);
  }

  /** Starts a fault; returns false if the target is already down or does not exist. */
  startFault({ kind, which, downMs }: Fault): boolean {
    if (kind === 'postgres') return this.fell(this.postgres, downMs);
    if (kind === 'broker') return this.broker !== undefined && this.fell(this.broker, downMs);
    if (kind === 'frozen') {
      const dispatcher = this.dispatchers[which];
      if (!dispatcher.runs) return false;
      return this.recover(dispatcher, async () => {
        dispatcher.freeze();
        await pause(leaseMs + 1_000 + downMs);
        dispatcher.thaw();
      });
    }
    const victim = kind === 'dispatcher' ? this.dispatchers[which] : this.services[kind];
    if (!victim.runs) return false;
    return this.recover(victim, async () => {
      await victim.kill();
      await pause(downMs);
      victim.start();
    });
  }

  /** Waits until all targets run again and the gateway answers. */
  async up(): Promise<void> {
    await Promise.all(this.recovering.values());
    const isUp = async () => (await fetch(`${this.url}/v1/health`).catch(() => undefined))?.ok;
    await until(isUp, () => ['the health of the gateway', this.unexpectedEnds.at(-1)], 60_000);
  }

  async remove(): Promise<void> {
    await Promise.allSettled(this.recovering.values());
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.broker?.remove();
    await this.postgres.remove();
  }

  private get processes(): Supervised[] {
    return [...Object.values(this.services), ...this.dispatchers];
  }

  private fell(server: PrivatePostgres | PrivateBroker, downMs: number): boolean {
    return this.recover(server, async () => {
      await server.kill();
      await pause(downMs);
      await server.up();
    });
  }

  private recover(who: unknown, work: () => Promise<void>): boolean {
    if (this.recovering.has(who)) return false;
    this.recovering.set(
      who,
      work().finally(() => this.recovering.delete(who)),
    );
    return true;
  }
}
