import type { Message } from '@idsync/contracts';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { runProbe } from './run-probe.js';
import { contextToken, type SyncContext } from './sync-context.js';

@Controller()
export class ProbesConsumer {
  constructor(@Inject(contextToken) private readonly context: SyncContext) {}

  @EventPattern<string>('connector.probe.requested')
  async requested(@Payload() message: Message<'connector.probe.requested'>): Promise<void> {
    await runProbe(this.context, message);
  }
}
