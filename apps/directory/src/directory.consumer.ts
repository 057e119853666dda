import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { type MessageContext, On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { republishOperations } from './background/due-work.js';
import { applyBatch } from './batch/apply-batch.js';
import { ProposedTimes } from './batch/proposed-times.js';
import { WorkGate } from './batch/work-gate.js';
import { evaluateFindings } from './findings/evaluate-findings.js';
import { proposeMatches } from './matching/propose-matches.js';
import { giveUpOperation, runOperation } from './operations/run-operation.js';
import { Trials } from './operations/trials.js';
import { countBatch } from './shared/metrics.js';
import { clearEndedRuns, sweepJob } from './sweep/sweep-job.js';

/** Milliseconds for findings and for fuzzy matching after a job; the clock does the rest. */
const [findingsMs, matchingMs] = [2_000, 10_000];

@Controller()
export class DirectoryConsumer {
  private readonly trials = new Trials();

  constructor(
    private readonly database: Database,
    private readonly gate: WorkGate,
    private readonly times: ProposedTimes,
  ) {}

  @On('sync.batch.ready')
  async apply(message: Message<'sync.batch.ready'>, { attempt }: MessageContext): Promise<void> {
    const began = performance.now();
    const applied = await applyBatch(this.database, message, { attempt, gate: this.gate, times: this.times });
    if (applied) countBatch(applied, (performance.now() - began) / 1_000);
  }

  @On('sync.record.ready')
  async applyRecord(message: Message<'sync.record.ready'>, { attempt }: MessageContext): Promise<void> {
    await applyBatch(this.database, message, { attempt, gate: this.gate });
  }

  @On('sync.sweep.requested')
  async sweep(message: Message<'sync.sweep.requested'>): Promise<void> {
    await sweepJob(this.database, message);
  }

  @On('sync.job.ended')
  async endJob(message: Message<'sync.job.ended'>): Promise<void> {
    await clearEndedRuns(this.database, message);
    await republishOperations(this.database, message.tenant_id, 'waiting');
    await evaluateFindings(this.database, message.tenant_id, { until: new Date(Date.now() + findingsMs) });
    await this.matchQueued(message);
  }

  @On('directory.operation.requested')
  async operate(message: Message<'directory.operation.requested'>): Promise<void> {
    await runOperation(this.database, message, undefined, this.trials);
    // An operation such as a change of rules may queue records for matching.
    await this.matchQueued(message);
  }

  @On('dead.directory.operation.requested')
  async giveUp(message: Message<'directory.operation.requested'>): Promise<void> {
    await giveUpOperation(this.database, message);
  }

  private async matchQueued({ tenant_id }: { tenant_id: string }): Promise<void> {
    await proposeMatches(this.database, tenant_id, { until: new Date(Date.now() + matchingMs) });
  }
}
