import type { Database } from '@idsync/database';
import { deleteEndedSessions } from '@idsync/database/gateway';
import type { Chore } from '@idsync/messaging';

const batchSize = 1_000;

/** Deletes sessions of operators that ended by a timeout. */
export function endedSessions(database: Database, idleSeconds: number): Chore {
  return {
    name: 'deleting ended sessions',
    batchSize,
    run: () => deleteEndedSessions(database, idleSeconds, batchSize),
  };
}
