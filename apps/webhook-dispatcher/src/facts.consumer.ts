import type { Message } from '@idsync/contracts';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { FanOutRunner } from './fan-out-runner.service.js';

@Controller()
export class FactsConsumer {
  constructor(private readonly fanOuts: FanOutRunner) {}

  /** Sent by services of the previous version only; see `listenToEvents`. */
  @On('facts.recorded')
  recorded({ tenant_id: tenantId, data }: Message<'facts.recorded'>): void {
    this.fanOuts.wake(tenantId, data.last_sequence);
  }
}
