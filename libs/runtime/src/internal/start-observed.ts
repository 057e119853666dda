import { collectDefaultMetrics } from 'prom-client';
import { closeInTurn } from '../close.js';
import { createLogger } from '../logger.service.js';
import type { RunningService } from '../run-service.js';
import { startTracing, type TracingEnvironment } from '../tracing/start-tracing.js';
import { openInternalPort } from './internal-port.js';
import type { HealthCheck } from './readiness.js';
import { serveUntilSeen } from './serve-until-seen.js';

/** A service that tells what it needs. */
export interface ObservedService extends RunningService {
  readonly checks: readonly HealthCheck[];
}

export interface InternalEnvironment extends TracingEnvironment {
  INTERNAL_HOST: string;
  INTERNAL_PORT?: number;
  /** Milliseconds that whoever sends requests is given from when they were told that this process ends. */
  DRAIN_DELAY_MS?: number;
  LOG_LEVEL: string;
}

/**
 * Starts a service beside its internal port, which is there first and gone last: a start that takes long is alive and not ready, and
 * so is one that drains.
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
  createLogger(name, env.LOG_LEVEL).info({ url: port.url }, 'internal port');
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
    drain: () => serveUntilSeen(env.DRAIN_DELAY_MS ?? 0, port.toldEnding),
    close: () =>
      closeInTurn(
        () => running.close(),
        () => tracing.end(),
        () => port.close(),
      ),
  };
}
