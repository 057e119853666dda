import {
  type BeforeApplicationShutdown,
  type INestApplicationContext,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { HealthCheck } from './internal/internal-port.js';
import type { ObservedService } from './internal/start-observed.js';

/**
 * Records shutdown failures: Nest only logs errors of its hooks, but a service with unfinished work must exit with 1.
 */
@Injectable()
export class ShutdownFailures {
  private readonly failures: unknown[] = [];

  record(error: unknown): void {
    this.failures.push(error);
  }

  /** Waits for the work and records its error. */
  async of(work: Promise<unknown> | undefined): Promise<void> {
    await work?.catch((error: unknown) => this.record(error));
  }

  /** Throws the first failure, if there is one. */
  throwFirst(): void {
    if (this.failures.length > 0) throw this.failures[0];
  }
}

/**
 * Work that runs from bootstrap to shutdown. All services start to stop in `onModuleDestroy` and are awaited in
 * `beforeApplicationShutdown`, so that they stop concurrently while connections are still open.
 */
@Injectable()
export abstract class BackgroundService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  @Inject(ShutdownFailures) private readonly shutdownFailures!: ShutdownFailures;
  private shutdown: Promise<void> | undefined;

  abstract start(): void;

  /** Rejects if work could not be finished. */
  abstract stop(): Promise<void>;

  onApplicationBootstrap(): void {
    this.start();
  }

  onModuleDestroy(): void {
    this.shutdown = this.shutdownFailures.of(this.stop());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.shutdown;
  }
}

/** Wraps a Nest application as a service. Closing it runs all shutdown hooks, then rejects with the first failure. */
export function observedApplication(app: INestApplicationContext, checks: readonly HealthCheck[]): ObservedService {
  const failures = app.get(ShutdownFailures);
  return {
    checks,
    close: async () => {
      await app.close();
      failures.throwFirst();
    },
  };
}
