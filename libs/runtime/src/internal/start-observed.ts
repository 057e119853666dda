import { collectDefaultMetrics } from 'prom-client';
import { createLogger } from '../logger.service.js';
import type { RunningService } from '../run-service.js';
import { startTracing, type TracingEnvironment } from '../tracing/start-tracing.js';
import { closeInTurn } from '../waiting.js';
import type { HealthCheck } from './internal-port.js';
import { openInternalPort } from './internal-port.js';

/** A running service with health checks. */
export interface ObservedService extends RunningService {
  readonly checks: readonly HealthCheck[];
}

interface InternalEnvironment extends TracingEnvironment {
  INTERNAL_HOST: string;
  INTERNAL_PORT?: number;
  /** Milliseconds a load balancer has to react after the service reported unready. */
  DRAIN_DELAY_MS?: number;
  LOG_LEVEL: string;
}

/**
 * Starts a service with its internal port. The port opens first and closes last, so that a service that starts or
 * drains is alive but not ready.
 */
export async function startObserved(
  name: string,
  env: InternalEnvironment,
  stopping: AbortSignal,
  start: () => Promise<ObservedService>,
): Promise<RunningService> {
  let service: ObservedService | undefined;
  const port = await openInternalPort({
    host: env.INTERNAL_HOST,
    port: env.INTERNAL_PORT,
    checks: () => service?.checks,
    stopping,
  });
  createLogger(name, env.LOG_LEVEL).info({ url: port.url }, 'internal port is listening');
  collectDefaultMetrics();
  const tracing = startTracing(name, env);
  try {
    service = await start();
  } catch (error) {
    await port.close();
    throw error;
  }
  const running = service;
  return {
    ...(running.failed && { failed: running.failed }),
    drain: () => waitForDrain(env.DRAIN_DELAY_MS ?? 0, port.unreadyReported),
    close: () =>
      closeInTurn(
        () => running.close(),
        () => tracing.end(),
        () => port.close(),
      ),
  };
}

/** Maximum wait for a readiness probe. */
const probeWithinMs = 10_000;

/**
 * Waits until `delayMs` after a probe was answered with unready, so that a load balancer that probes late can still
 * react. Without a delay, no load balancer is expected.
 */
export async function waitForDrain(
  delayMs: number,
  unreadyReported: Promise<void>,
  withinMs = probeWithinMs,
): Promise<void> {
  if (delayMs === 0) return;
  const timers: NodeJS.Timeout[] = [];
  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => timers.push(setTimeout(resolve, milliseconds)));
  await Promise.race([unreadyReported.then(() => pause(delayMs)), pause(Math.max(delayMs, withinMs))]);
  for (const timer of timers) clearTimeout(timer);
}
