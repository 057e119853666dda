import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { evaluateFindings } from '../findings/evaluate-findings.js';
import { proposeMatches } from '../matching/propose-matches.js';
import { clearEndedRuns } from '../sweep/sweep-job.js';

/** Milliseconds for findings after a job; the clock evaluates the rest. */
const findingsMs = 2_000;

@Controller()
export class MatchingConsumer {
  constructor(private readonly database: Database) {}

  @On('sync.job.ended')
  async propose(message: Message<'sync.job.ended'>): Promise<void> {
    await clearEndedRuns(this.database, message);
    await proposeMatches(this.database, message);
    await evaluateFindings(this.database, message.tenant_id, { until: new Date(Date.now() + findingsMs) });
  }
}
