import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ShutdownFailures } from './shutdown-failures.js';

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
