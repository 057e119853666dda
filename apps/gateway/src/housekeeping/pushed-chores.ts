import type { Database } from '@idsync/database';
import { deletePushedOfDeletedConnectors, purgeScimTombstones } from '@idsync/database/scim';
import type { Chore } from '@idsync/messaging';

const batchSize = 1_000;

/** Chores that delete obsolete pushed resources of all tenants. */
export function pushedChores(database: Database): Chore[] {
  return [
    {
      name: 'deleting expired deletions of pushed resources',
      batchSize,
      run: () => purgeScimTombstones(database, batchSize),
    },
    {
      name: 'deleting pushed resources of deleted connectors',
      batchSize,
      run: () => deletePushedOfDeletedConnectors(database, batchSize),
    },
  ];
}
