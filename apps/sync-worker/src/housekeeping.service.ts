import { Housekeeping } from '@idsync/messaging';
import { Injectable } from '@nestjs/common';
import { chores } from './chores.js';
import { SyncContext } from './sync-context.js';

@Injectable()
export class SyncHousekeeping extends Housekeeping {
  constructor(context: SyncContext) {
    super(chores(context), context.settings.housekeepingMs, context.log);
  }
}
