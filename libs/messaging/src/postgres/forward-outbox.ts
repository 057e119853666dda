import { type QueueDefinition, queues } from '@idsync/contracts';
import type { Database } from '@idsync/database';

const portion = 500;

/** Which queue takes which type, as two parallel arrays. */
const routes = Object.entries<QueueDefinition>(queues).flatMap(([queue, definition]) =>
  definition.binds.map((type) => ({ queue, type })),
);

/**
 * Moves the oldest outbox rows into the queues that want them, in one transaction: nothing is lost and nothing doubled,
 * whoever is killed. Two relays at once would each move other rows, so this needs no fencing token.
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
         select route.queue, moved.message_id, moved.type, moved.ordering_key, moved.message
           from moved join unnest($2::text[], $3::text[]) as route (queue, type) using (type)
          order by moved.id
         returning queue)
       select id, (select count(pg_notify('idsync_bus', queue)) from (select distinct queue from queued) as woken) from moved`,
      [portion, routes.map((route) => route.queue), routes.map((route) => route.type)],
    );
    return rows.length;
  });
}
