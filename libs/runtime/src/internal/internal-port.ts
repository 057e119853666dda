import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register } from 'prom-client';
import { withTimeout } from '../waiting.js';

interface InternalPortOptions {
  host: string;
  /** 0 takes a free port; undefined takes 9464, or a free port if that is in use. */
  port: number | undefined;
  /** Health checks; undefined while the service starts. */
  checks: () => readonly HealthCheck[] | undefined;
  /** Aborted when the process starts to shut down. */
  stopping: AbortSignal;
}

export interface InternalPort {
  url: string;
  /** Resolves once a readiness probe was answered with unready because of the shutdown. */
  unreadyReported: Promise<void>;
  close(): Promise<void>;
}

const defaultPort = 9464;
const starting: Readiness = { status: 'unready', checks: { started: 'down' } };
/** Reported without running checks, because a slow database must not delay the response. */
const ending: Readiness = { status: 'unready', checks: { draining: 'down' } };

/**
 * Serves operational endpoints: `/livez` (the process runs; no checks), `/readyz` (200 or 503 with the result of each
 * check) and `/metrics` for Prometheus.
 */
export async function openInternalPort(options: InternalPortOptions): Promise<InternalPort> {
  const probe = new ReadinessProbe();
  let resolveReported: () => void;
  const unreadyReported = new Promise<void>((resolve) => {
    resolveReported = resolve;
  });
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const ready = async () => {
      const found = await readiness(options, probe);
      if (found === ending) response.once('finish', resolveReported);
      return found;
    };
    answer(request, response, ready).catch(() => response.destroy());
  });
  await listen(server, options);
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    unreadyReported,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, { host, port }: InternalPortOptions): Promise<void> {
  try {
    await listenOn(server, host, port ?? defaultPort);
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!taken || port !== undefined) throw new Error(`INTERNAL_PORT: ${(error as Error).message}`, { cause: error });
    // With several services on one machine, one without a configured port takes a free port.
    await listenOn(server, host, 0);
  }
}

async function listenOn(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

async function readiness({ checks, stopping }: InternalPortOptions, probe: ReadinessProbe): Promise<Readiness> {
  if (stopping.aborted) return ending;
  const known = checks();
  const found = known ? await probe.judge(known) : starting;
  return stopping.aborted ? ending : found;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ready: () => Promise<Readiness>,
): Promise<void> {
  response.setHeader('cache-control', 'no-store');
  const path = request.url?.split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
  } else if (path === '/livez') {
    json(response, 200, { status: 'alive' });
  } else if (path === '/readyz') {
    const found = await ready();
    json(response, found.status === 'unready' ? 503 : 200, found);
  } else if (path === '/metrics') {
    const text = await register.metrics();
    response.writeHead(200, { 'content-type': register.contentType }).end(text);
  } else {
    json(response, 404, { error: 'not found' });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

export type CheckStatus = 'up' | 'degraded' | 'down';

/** Health check of a dependency: `degraded` if the service can work without it, `down` if it cannot. */
export interface HealthCheck {
  name: string;
  /** An error counts as down. */
  run(): CheckStatus | Promise<CheckStatus>;
}

interface Readiness {
  status: 'ready' | 'degraded' | 'unready';
  checks: Record<string, CheckStatus>;
}

/** Shorter than the timeout of any probe. */
const checkWithinMs = 2_000;

/** Runs the checks concurrently, each with a timeout. A hanging check is not started again before it has ended. */
export class ReadinessProbe {
  private readonly inProgress = new Map<HealthCheck, Promise<CheckStatus>>();

  constructor(private readonly withinMs: number = checkWithinMs) {}

  async judge(checks: readonly HealthCheck[]): Promise<Readiness> {
    const found = await Promise.all(
      checks.map(
        async (check) => [check.name, await withTimeout<CheckStatus>(this.withinMs, this.once(check), 'down')] as const,
      ),
    );
    const statuses = found.map(([, status]) => status);
    const worst = statuses.includes('down') ? 'unready' : statuses.includes('degraded') ? 'degraded' : 'ready';
    return { status: worst, checks: Object.fromEntries(found) };
  }

  private once(check: HealthCheck): Promise<CheckStatus> {
    const known = this.inProgress.get(check);
    if (known !== undefined) return known;
    const running = (async () => check.run())()
      .catch((): CheckStatus => 'down')
      .finally(() => this.inProgress.delete(check));
    this.inProgress.set(check, running);
    return running;
  }
}
