// SQL by hand: moves rows into several queues in one statement.
import { type QueueDefinition, queues } from '@idsync/contracts';
import type { Database } from '@idsync/database';

/** Maximum messages of a transaction. */
export const batchSize = 500;

/** Which queue binds which type. */
const routes = Object.entries<QueueDefinition>(queues).flatMap(([queue, definition]) =>
  definition.binds.map((type) => ({ queue, type })),
);

/**
 * Moves the oldest outbox rows into the queues that bind them in one statement, so a crash neither loses nor
 * duplicates a message. Rows of types that this version does not know stay for a process of the version that does. Two
 * concurrent relays move different rows, so no fencing token is needed.
 */
export async function forwardOutbox(database: Database): Promise<number> {
  const rows = await database.writeWithoutTenant<{ id: number }>({
    name: 'forward-outbox',
    text: `with moved as (
         delete from outbox where id = any(array(
           select id from outbox where producer = current_user and type = any($3::text[]) order by id limit $1 for update))
         returning id, message_id, type, message),
       queued as (
         insert into bus_messages (queue, message_id, type, message)
         select route.queue, moved.message_id, moved.type, moved.message
           from moved join unnest($2::text[], $3::text[]) as route (queue, type) using (type)
          order by moved.id
         returning queue)
       select id, (select count(pg_notify('idsync_bus', queue)) from (select distinct queue from queued) as woken) from moved`,
    values: [batchSize, routes.map(({ queue }) => queue), routes.map(({ type }) => type)],
  });
  return rows.length;
}
