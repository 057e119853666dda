import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { proposeMatches } from './propose-matches.js';
import { clearEndedRuns } from './sweep/clear-ended-runs.js';

@Controller()
export class MatchingConsumer {
  constructor(private readonly database: Database) {}

  @On('sync.job.ended')
  async propose(message: Message<'sync.job.ended'>): Promise<void> {
    await clearEndedRuns(this.database, message);
    await proposeMatches(this.database, message);
  }
}
