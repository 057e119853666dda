import { Database } from '@idsync/database';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { watchFindings, watchRenderings } from './metrics.js';

/** Registers the gauges of findings and of documents to render. */
@Injectable()
export class Observation implements OnModuleInit, BeforeApplicationShutdown {
  private removeGauges: (() => void)[] = [];

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.removeGauges = [watchFindings(this.database), watchRenderings(this.database)];
  }

  beforeApplicationShutdown(): void {
    for (const remove of this.removeGauges) remove();
  }
}
