// SQL by hand: claims in bulk with `skip locked`, benchmarked.
import type { Database } from '@idsync/database';

export interface ClaimedMessage {
  id: number;
  type: string;
  message: string;
  attempts: number;
}

/** Seconds without a heartbeat after which a consumer's messages are redelivered. */
export const leaseSeconds = 10;

/**
 * Claims due messages. They stay in the queue, hidden until the lease expires, so messages of a killed consumer are
 * redelivered.
 */
export async function claimMessages(
  database: Database,
  claim: { queue: string; limit: number; token: string },
): Promise<ClaimedMessage[]> {
  const rows = await database.writeWithoutTenant<ClaimedMessage>({
    name: 'claim-messages',
    text: `with due as materialized (
         select id from bus_messages
          where queue = $1 and dead_at is null and available_at <= now()
          order by available_at, id limit $4 for update skip locked)
       update bus_messages m set attempts = attempts + 1, lease_token = $2, available_at = now() + make_interval(secs => $3)
         from due where m.id = due.id
       returning m.id, type, message, attempts`,
    values: [claim.queue, claim.token, leaseSeconds, claim.limit],
  });
  return rows.sort((a, b) => a.id - b.id);
}
