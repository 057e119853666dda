import type { Transaction } from '../database.js';

export interface Subscription {
  webhookId: string;
  /** Event types, prefixes (`identity.*`) or `*`. */
  events: string[];
}

export interface SequenceRange {
  first: number;
  last: number;
}

/** A webhook that wants the events of one type. */
export interface Match {
  webhookId: string;
  type: string;
}

export async function findActiveSubscriptions(tx: Transaction, tenantId: string): Promise<Subscription[]> {
  return tx.query<Subscription>(
    'select id as "webhookId", events from webhooks where tenant_id = $1 and active order by created_at, id',
    [tenantId],
  );
}

export async function findEventTypes(tx: Transaction, tenantId: string, range: SequenceRange): Promise<string[]> {
  const rows = await tx.query<{ type: string }>(
    'select distinct type from events where tenant_id = $1 and sequence between $2 and $3',
    [tenantId, range.first, range.last],
  );
  return rows.map((row) => row.type);
}

/**
 * One delivery for each event of the range and each webhook that wants its type; none twice, however often it is asked.
 * The ids are UUIDv7 made in SQL, since the rows never leave the database: the current milliseconds over a random UUID.
 */
export async function insertDeliveries(
  tx: Transaction,
  tenantId: string,
  range: SequenceRange,
  matches: readonly Match[],
): Promise<number> {
  const [inserted] = await tx.query<{ count: number }>(
    `with inserted as (
       insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence)
       select encode(set_bit(set_bit(
                overlay(uuid_send(gen_random_uuid()) placing substring(int8send(
                  floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
                52, 1), 53, 1), 'hex')::uuid,
              event.tenant_id, wanted.webhook_id, event.sequence
         from events event
         join unnest($4::uuid[], $5::text[]) as wanted (webhook_id, type) on wanted.type = event.type
        where event.tenant_id = $1 and event.sequence between $2 and $3
        order by event.sequence, wanted.webhook_id
       on conflict (webhook_id, event_sequence) do nothing returning 1)
     select count(*) from inserted`,
    [tenantId, range.first, range.last, matches.map((match) => match.webhookId), matches.map((match) => match.type)],
  );
  return inserted?.count ?? 0;
}
