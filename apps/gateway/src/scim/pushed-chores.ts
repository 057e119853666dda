import { type Database, forgetAbandoned, forgetPushedDeletions } from '@idsync/database';
import type { Chore } from '@idsync/messaging';

const portion = 1_000;

/** What was pushed and is no longer needed goes, of all tenants. */
export function pushedChores(database: Database): Chore[] {
  return [
    { name: 'forgetting pushed deletions', portion, run: () => forgetPushedDeletions(database, portion) },
    {
      name: 'forgetting what was pushed to deleted connectors',
      portion,
      run: () => forgetAbandoned(database, portion),
    },
  ];
}
