import { type Database, deleteOldDeliveries, deleteOldEndpoints } from '@idsync/database';
import type { Chore } from '@idsync/messaging';

const portion = 1_000;

/** What the dispatcher forgets: what is older than a month, and what belonged to webhooks that are gone. */
export function chores(database: Database): Chore[] {
  return [
    {
      name: 'forgetting old deliveries',
      portion,
      run: () => database.transaction(undefined, (tx) => deleteOldDeliveries(tx, portion)),
    },
    {
      name: 'forgetting old endpoints',
      portion,
      run: () => database.transaction(undefined, (tx) => deleteOldEndpoints(tx, portion)),
    },
  ];
}
