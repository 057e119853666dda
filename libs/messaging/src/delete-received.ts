// SQL by hand: deletes in batches.
import type { Database } from '@idsync/database';
import type { Chore } from './housekeeping.js';

const batchSize = 5_000;

/** Deletes old message ids from the inbox: no broker redelivers a message a week after it was settled. */
export function deleteReceived(database: Database): Chore {
  return {
    name: 'deleting old inbox entries',
    batchSize,
    run: async () => {
      const rows = await database.withoutTenant((tx) =>
        tx.query(
          `delete from inbox where consumer = current_user and message_id = any(array(
             select message_id from inbox where consumer = current_user and received_at < now() - interval '7 days' limit $1))
           returning message_id`,
          [batchSize],
        ),
      );
      return rows.length;
    },
  };
}
