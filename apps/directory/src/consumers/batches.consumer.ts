import type { Message } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { type MessageContext, On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { applyBatch } from '../batch/apply-batch.js';
import { ProposedTimes } from '../batch/proposed-times.js';
import { WorkGate } from '../batch/work-gate.js';
import { countBatch } from '../shared/metrics.js';

@Controller()
export class BatchesConsumer {
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
}
