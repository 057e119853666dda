import type { Database } from '@idsync/database';
import type { Chore } from './housekeeping.js';

const portion = 5_000;

/** Forgets messages received long ago: no broker redelivers after a week what was settled then. */
export function forgetReceived(database: Database): Chore {
  return {
    name: 'tidying the inbox',
    portion,
    run: async () => {
      const rows = await database.transaction(undefined, (tx) =>
        tx.query(
          `delete from inbox where consumer = current_user and message_id in (
             select message_id from inbox where consumer = current_user and received_at < now() - interval '7 days' limit $1)
           returning message_id`,
          [portion],
        ),
      );
      return rows.length;
    },
  };
}
