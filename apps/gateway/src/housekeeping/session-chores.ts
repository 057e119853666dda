import type { Database } from '@idsync/database';
import { deleteEndedSessions, forgetLogouts } from '@idsync/database/gateway';
import type { Chore } from '@idsync/messaging';

const batchSize = 1_000;

/** Deletes sessions of operators that ended by a timeout, and logout tokens that are too old to be used again. */
export function sessionChores(database: Database, idleSeconds: number): Chore[] {
  return [
    {
      name: 'deleting ended sessions',
      batchSize,
      run: () => deleteEndedSessions(database, idleSeconds, batchSize),
    },
    { name: 'deleting used logout tokens', batchSize, run: () => forgetLogouts(database, batchSize) },
  ];
}
