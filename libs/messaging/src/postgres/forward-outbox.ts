import { type QueueDefinition, queues } from '@idsync/contracts';
import type { Database } from '@idsync/database';

const portion = 500;

/** Which queue takes which type. */
const routes = Object.entries<QueueDefinition>(queues).flatMap(([queue, definition]) =>
  definition.binds.map((type) => ({ queue, type, ordered: definition.ordered })),
);

/**
 * Moves the oldest outbox rows into the queues that want them, in one transaction: nothing is lost and nothing doubled,
 * whoever is killed. On an ordered queue a message without a key has one of its own. Two relays at once would each move other rows, so this needs no fencing token.
 */
export async function forwardOutbox(database: Database): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    const rows = await tx.query<{ id: number }>(
      `with moved as (
         delete from outbox where id in (
           select id from outbox where producer = current_user order by id limit $1 for update)
         returning id, message_id, type, ordering_key, message),
       queued as (
         insert into bus_messages (queue, message_id, type, ordering_key, message)
         select route.queue, moved.message_id, moved.type,
                case when route.ordered then coalesce(moved.ordering_key, moved.message_id::text) else moved.ordering_key end,
                moved.message
           from moved join unnest($2::text[], $3::text[], $4::boolean[]) as route (queue, type, ordered) using (type)
          order by moved.id
         returning queue)
       select id, (select count(pg_notify('idsync_bus', queue)) from (select distinct queue from queued) as woken) from moved`,
      [portion, routes.map(({ queue }) => queue), routes.map(({ type }) => type), routes.map(({ ordered }) => ordered)],
    );
    return rows.length;
  });
}
