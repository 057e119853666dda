import { Database } from '@idsync/database';
import { Housekeeping } from '@idsync/messaging';
import { Logger } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { chores } from './chores.js';

const everyMs = 5 * 60_000;

@Injectable()
export class DispatcherHousekeeping extends Housekeeping {
  constructor(database: Database, log: Logger) {
    super(chores(database), everyMs, log);
  }
}
