import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort, until } from '@idsync/testing';

const serviceNames = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const;
export type ServiceProcessName = (typeof serviceNames)[number];

const readyWithinMs = 100_000;

export interface ServicesOptions {
  databaseUrl: string;
  amqpUrl?: string;
  sourcesDir: string;
  /** Private networks that webhooks may call. */
  allowedCidrs?: string;
  /** Private networks that connectors may call. */
  sourceCidrs?: string;
  /** Additional environment of every service. */
  env?: Record<string, string>;
  /** A test of services that cannot reach their broker waits only for the gateway. */
  withoutBroker?: boolean;
  /** Open file for all logs. */
  logs?: number;
}

export const adminToken = 'the-operators-token-of-this-test';

export function programOf(name: ServiceProcessName): string {
  return fileURLToPath(new URL(`../../bundle/${name}.js`, import.meta.url));
}

/** Returns the environment of a service; the gateway listens on `port`. */
export function environmentOf(options: ServicesOptions, port: number, internalPort = 0): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    DATABASE_URL: options.databaseUrl,
    AMQP_URL: options.amqpUrl,
    SOURCES_DIR: options.sourcesDir,
    SOURCES_BY_TENANT: 'false',
    WEBHOOK_ALLOW_CIDRS: options.allowedCidrs,
    SOURCE_ALLOW_CIDRS: options.sourceCidrs,
    ADMIN_TOKEN: adminToken,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    LOG_LEVEL: 'warn',
    ...options.env,
  };
}

/** The four services as processes of their bundled programs, as in production. */
export class Services {
  private readonly children = new Map<ServiceProcessName, ChildProcess>();
  readonly adminToken = adminToken;

  private constructor(
    private readonly options: ServicesOptions,
    private readonly port: number,
    private readonly internalPorts: readonly number[],
  ) {}

  /** Resolves when all services can work, so that a slow start is no failure of what a test waits for. */
  static async start(options: ServicesOptions): Promise<Services> {
    const port = await freePort();
    const services = new Services(options, port, await Promise.all(serviceNames.map(() => freePort())));
    for (const name of serviceNames) services.launch(name);
    try {
      await services.gatewayUp();
      if (!options.withoutBroker) await services.ready();
    } catch (error) {
      await services.stop();
      throw error;
    }
    return services;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Internal ports of the services. */
  get internalUrls(): Record<ServiceProcessName, string> {
    const urls = serviceNames.map((name) => [name, `http://127.0.0.1:${this.internalPort(name)}`]);
    return Object.fromEntries(urls) as Record<ServiceProcessName, string>;
  }

  /** Sends SIGTERM; resolves with duration and exit code. */
  async terminate(name: ServiceProcessName): Promise<{ code: number | null; seconds: number }> {
    const began = performance.now();
    const code = await this.end(name, 'SIGTERM');
    return { code, seconds: (performance.now() - began) / 1_000 };
  }

  /** Sends SIGKILL; resolves when the process has ended. */
  async kill(name: ServiceProcessName): Promise<void> {
    await this.end(name, 'SIGKILL');
  }

  launch(name: ServiceProcessName): void {
    const child = spawn(process.execPath, [programOf(name)], {
      stdio: ['ignore', 'ignore', this.options.logs ?? (process.env.IDSYNC_TEST_LOGS ? 'inherit' : 'ignore')],
      env: environmentOf(this.options, this.port, this.internalPort(name)),
    });
    this.children.set(name, child);
  }

  /** True while the launched process runs; nothing restarts it. */
  isRunning(name: ServiceProcessName): boolean {
    const child = this.children.get(name);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async gatewayUp(): Promise<void> {
    const isUp = async () => (await fetch(`${this.url}/v1/health`).catch(() => undefined))?.ok;
    await until(isUp, 'the health of the gateway');
  }

  /** A service to which RabbitMQ does not answer connects again after a minute. The gateway is ready without it. */
  private async ready(): Promise<void> {
    await Promise.all(
      serviceNames.map(async (name) => {
        let found = 'no answer';
        const isReady = async () => {
          const url = `${this.internalUrls[name]}/readyz`;
          found = await fetch(url, { signal: AbortSignal.timeout(5_000) })
            .then((answer) => answer.text())
            .catch(String);
          return /^\{"status":"(ready|degraded)".*"bus":"up"/.test(found);
        };
        await until(isReady, () => `the ${name} is ready: ${found}`, readyWithinMs);
      }),
    );
  }

  /** Stops all services as an operator does; resolves with their exit codes. */
  async stop(): Promise<(number | null)[]> {
    const names = [...this.children.keys()];
    return Promise.all(names.map((name) => this.end(name, 'SIGTERM')));
  }

  private internalPort(name: ServiceProcessName): number {
    return this.internalPorts[serviceNames.indexOf(name)] ?? 0;
  }

  private async end(name: ServiceProcessName, signal: NodeJS.Signals): Promise<number | null> {
    const child = this.children.get(name);
    if (!child) return null;
    this.children.delete(name);
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
    return child.exitCode;
  }
}
