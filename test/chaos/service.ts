import { fileURLToPath } from 'node:url';
import { programIn, shortLeaseDispatcherIn } from '../support/programs.js';
import { environmentOf, type ServicesOptions } from '../support/services.js';
import { Supervised } from '../support/supervised.js';
import { SteppedClock } from './clock.js';
import type { ServiceName } from './plan.js';

const today = fileURLToPath(new URL('../..', import.meta.url));
/** Dispatcher settings with leases and retries of seconds, because a round waits for the last delivery. */
const dispatcherSettings = {
  settings: {
    leaseMs: 4_000,
    exchangeMs: 1_500,
    pollMs: 500,
    retryMs: 200,
    retryDelays: [200, 400, ...Array<number>(2_000).fill(1_000)],
    breaker: { threshold: 10, firstPauseMs: 200, longestPauseMs: 2_000 },
  },
  limits: { exchangeMs: 1_500, connectMs: 500, dnsMs: 500 },
};

export interface ServicePlace {
  options: ServicesOptions;
  port: number;
  clockFile: string;
  log: (text: string) => void;
  /** Directory of the built previous version; absent if it is not used. */
  previous: string | undefined;
}

/** One service under a supervisor that restarts it, in the current or the previous version. */
export class ChaosService {
  private current: Supervised;

  private constructor(
    readonly clock: SteppedClock,
    private readonly now: Supervised,
    private readonly before: Supervised | undefined,
  ) {
    this.current = now;
  }

  static async create(
    name: ServiceName,
    { options, port, clockFile, log, previous }: ServicePlace,
  ): Promise<ChaosService> {
    const clock = await SteppedClock.at(clockFile);
    const env = { ...environmentOf(options, port), ...clock.env };
    const from = (dir: string, version: string) => new Supervised(`${version} ${name}`, wordsOf(name, dir), env, log);
    return new ChaosService(
      clock,
      from(today, "today's"),
      previous === undefined ? undefined : from(previous, 'the previous'),
    );
  }

  /** Last output for each unexpected end. */
  get unexpectedEnds(): string[] {
    return [...this.now.unexpectedEnds, ...(this.before?.unexpectedEnds ?? [])];
  }

  start(): void {
    this.current.start();
  }

  kill(): Promise<void> {
    return this.current.kill();
  }

  freeze(): void {
    this.current.freeze();
  }

  thaw(): void {
    this.current.thaw();
  }

  /** Sends SIGTERM and starts the other version. */
  async replaceBy(version: 'today' | 'previous'): Promise<void> {
    await this.current.stop();
    this.current = version === 'previous' && this.before ? this.before : this.now;
    this.current.start();
  }
}

function wordsOf(name: ServiceName, dir: string): string[] {
  if (name !== 'webhook-dispatcher') return [programIn(dir, name)];
  return [shortLeaseDispatcherIn(dir), JSON.stringify(dispatcherSettings)];
}
