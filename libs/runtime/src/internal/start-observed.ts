import { collectDefaultMetrics } from 'prom-client';
import { closeInTurn } from '../close.js';
import { createLogger } from '../logger.service.js';
import type { RunningService } from '../run-service.js';
import { startTracing, type TracingEnvironment } from '../tracing/start-tracing.js';
import { openInternalPort } from './internal-port.js';
import type { HealthCheck } from './readiness.js';
import { waitForDrain } from './wait-for-drain.js';

/** A running service with health checks. */
export interface ObservedService extends RunningService {
  readonly checks: readonly HealthCheck[];
}

export interface InternalEnvironment extends TracingEnvironment {
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
