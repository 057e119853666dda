import { Database } from '@idsync/database';
import {
  deleteOldDeliveries,
  deleteOldEndpoints,
  deleteOldHours,
  deleteOldReplays,
  unansweredReplays,
} from '@idsync/database/delivery';
import { Housekeeping, republishLost } from '@idsync/messaging';
import { Logger } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';

const everyMs = 5 * 60_000;
const batchSize = 1_000;
const replayBatchSize = 100;
/** A replay without progress for this long is republished, because its message may be lost. */
const unansweredMs = 15 * 60_000;

/** Deletes data older than a month and the remains of deleted webhooks, and republishes lost replays. */
@Injectable()
export class DispatcherHousekeeping extends Housekeeping {
  constructor(database: Database, log: Logger) {
    super(
      [
        { name: 'deleting old deliveries', batchSize, run: () => deleteOldDeliveries(database, batchSize) },
        { name: 'deleting old endpoints', batchSize, run: () => deleteOldEndpoints(database, batchSize) },
        { name: 'deleting old counts', batchSize, run: () => deleteOldHours(database, batchSize) },
        { name: 'deleting old replays', batchSize, run: () => deleteOldReplays(database, batchSize) },
        {
          name: 'republishing replays',
          batchSize: replayBatchSize,
          run: () => republishReplays(database, unansweredMs),
        },
      ],
      everyMs,
      log,
    );
  }
}

/**
 * Republishes replay requests that may be lost; returns how many. A duplicate request continues where the first one
 * stopped.
 */
export async function republishReplays(database: Database, olderThanMs: number): Promise<number> {
  return republishLost(database, 'webhook.replay.requested', {
    ...unansweredReplays(olderThanMs, replayBatchSize),
    dataOf: ({ id }) => ({ replay_id: id }),
  });
}
