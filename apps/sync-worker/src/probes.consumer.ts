import type { Message } from '@idsync/contracts';
import { On } from '@idsync/messaging';
import { Controller } from '@nestjs/common';
import { runProbe } from './run-probe.js';
import { SyncContext } from './sync-context.js';

@Controller()
export class ProbesConsumer {
  constructor(private readonly context: SyncContext) {}

  @On('connector.probe.requested')
  async requested(message: Message<'connector.probe.requested'>): Promise<void> {
    await runProbe(this.context, message);
  }
}
