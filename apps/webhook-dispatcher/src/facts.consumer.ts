import type { Message } from '@idsync/contracts';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { FanOutRunner } from './fan-out-runner.js';

@Controller()
export class FactsConsumer {
  constructor(@Inject(FanOutRunner) private readonly fanOuts: FanOutRunner) {}

  /** The message is done when it is heard: what is left to do stands in the log of events. */
  @EventPattern<string>('facts.recorded')
  recorded(@Payload() { tenant_id: tenantId, data }: Message<'facts.recorded'>): void {
    this.fanOuts.wake(tenantId, data.last_sequence);
  }
}
