import { Injectable } from '@nestjs/common';

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
