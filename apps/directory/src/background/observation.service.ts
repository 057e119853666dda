import { Database } from '@idsync/database';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { watchFindings } from '../shared/metrics.js';

/** Registers the gauge of findings. */
@Injectable()
export class Observation implements OnModuleInit, BeforeApplicationShutdown {
  private removeGauge: (() => void) | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.removeGauge = watchFindings(this.database);
  }

  beforeApplicationShutdown(): void {
    this.removeGauge?.();
  }
}
