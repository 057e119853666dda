import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { proposeMatches } from './propose-matches.js';
import { forgetRuns } from './sweep/forget-runs.js';

@Controller()
export class MatchingConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @EventPattern<string>('sync.job.ended')
  async propose(@Payload() message: Message<'sync.job.ended'>): Promise<void> {
    await forgetRuns(this.database, message);
    await proposeMatches(this.database, message);
  }
}
