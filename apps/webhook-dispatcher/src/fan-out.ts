import type { Message } from '@idsync/contracts';
import { type Database, findActiveSubscriptions, findEventTypes, insertDeliveries } from '@idsync/database';
import { wantsEvent } from './match-subscription.js';

/**
 * Makes a delivery of each announced event for each active webhook that wants it, in one transaction. Redelivered, it
 * makes none again. Returns how many it made.
 */
export async function fanOut(
  database: Database,
  { tenant_id: tenantId, data }: Message<'facts.recorded'>,
): Promise<number> {
  const range = { first: data.first_sequence, last: data.last_sequence };
  return database.transaction(tenantId, async (tx) => {
    const subscriptions = await findActiveSubscriptions(tx, tenantId);
    if (subscriptions.length === 0) return 0;
    const types = await findEventTypes(tx, tenantId, range);
    const matches = subscriptions.flatMap(({ webhookId, events }) =>
      types.filter((type) => wantsEvent(events, type)).map((type) => ({ webhookId, type })),
    );
    return matches.length === 0 ? 0 : insertDeliveries(tx, tenantId, range, matches);
  });
}
