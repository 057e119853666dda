import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '@idsync/testing';
import { programIn } from './programs.js';
import { readMetrics } from './read-metrics.js';
import { environmentOf, type ServicesOptions } from './services.js';
import { Supervised } from './supervised.js';

const run = promisify(execFile);
/** Far longer than the balancer needs to notice that a gateway is not ready. */
const drainDelayMs = '2000';

/** One version of the code in its build folder: its migration, and its services as processes. */
export class RunningCode {
  private constructor(
    readonly url: string,
    private readonly internalUrl: string,
    private readonly gateway: Supervised,
    private readonly workers: readonly Supervised[],
  ) {}

  static async from(dir: string, version: string, options: ServicesOptions): Promise<RunningCode> {
    const [port, internalPort] = [await freePort(), await freePort()];
    const env = (internal: number) => ({ ...environmentOf(options, port, internal), DRAIN_DELAY_MS: drainDelayMs });
    const service = async (name: string, internal: number) =>
      new Supervised(`${version} ${name}`, [programIn(dir, name)], env(internal));
    const workers = ['directory', 'sync-worker', 'webhook-dispatcher'].map(async (name) =>
      service(name, await freePort()),
    );
    return new RunningCode(
      `http://127.0.0.1:${port}`,
      `http://127.0.0.1:${internalPort}`,
      await service('gateway', internalPort),
      await Promise.all(workers),
    );
  }

  /** Runs the migration of the code in `dir`; resolves with its output. */
  static async migrate(dir: string, databaseUrl: string): Promise<string> {
    const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
    const { stdout } = await run(process.execPath, [programIn(dir, 'migrate')], { env });
    return stdout;
  }

  /** Readiness URL of the gateway. */
  get readyUrl(): string {
    return `${this.internalUrl}/readyz`;
  }

  /** Number of requests the gateway has answered, without those at the internal port. */
  async answered(): Promise<number> {
    const series = await readMetrics([this.internalUrl]).catch(() => []);
    const counts = series.filter(({ name }) => name.endsWith('http_request_duration_seconds_count'));
    return counts.reduce((sum, { value }) => sum + value, 0);
  }

  start(): void {
    for (const process of [this.gateway, ...this.workers]) process.start();
  }

  /** Stops the services as an operator does, the gateway after it was drained. */
  async stop(): Promise<void> {
    await Promise.all([this.gateway, ...this.workers].map((process) => process.stop()));
  }

  get unexpectedEnds(): string[] {
    return [this.gateway, ...this.workers].flatMap(({ unexpectedEnds }) => unexpectedEnds);
  }
}
