import type { Message } from '@idsync/contracts';
import {
  announceRendering,
  type Database,
  findActiveSubscriptions,
  findEventBodies,
  insertDeliveries,
  type NewDelivery,
  type SequenceRange,
  type Subscription,
  savePayloads,
} from '@idsync/database';
import { likePatterns, wantsEvent } from './match-subscription.js';

/** Events of one transaction: a large announcement is worked off in parts, each complete when it commits. */
const chunk = 500;
const rowsAtATime = 10_000;

/** What new deliveries there are: the least sequence of each webhook. */
export type FannedOut = Map<string, { tenantId: string; sequence: number }>;

/**
 * Makes a delivery of each announced event for each active webhook that wants it, and the text that is sent. Redelivered, it
 * makes none again.
 */
export async function fanOut(
  database: Database,
  { tenant_id: tenantId, data }: Message<'facts.recorded'>,
): Promise<FannedOut> {
  const found: FannedOut = new Map();
  for (let first = data.first_sequence; first <= data.last_sequence; first += chunk) {
    const range = { first, last: Math.min(first + chunk - 1, data.last_sequence) };
    const deliveries = await fanOutRange(database, tenantId, range);
    for (const { webhookId, sequence } of deliveries) {
      if (!found.has(webhookId)) found.set(webhookId, { tenantId, sequence });
    }
  }
  return found;
}

async function fanOutRange(database: Database, tenantId: string, range: SequenceRange): Promise<NewDelivery[]> {
  return database.transaction(tenantId, async (tx) => {
    const subscriptions = await findActiveSubscriptions(tx, tenantId);
    if (subscriptions.length === 0) return [];
    await announceRendering(tx, tenantId);
    const wanted = likePatterns(subscriptions.flatMap(({ events }) => events));
    const bodies = await findEventBodies(tx, tenantId, range, { types: wanted, limit: chunk });
    const deliveries = bodies.flatMap(({ sequence, type, subjectId }) =>
      subscriptions
        .filter((subscription) => isFor(subscription, type, subjectId))
        .map(({ webhookId }) => ({ webhookId, sequence, type })),
    );
    if (deliveries.length === 0) return [];
    await savePayloads(tx, tenantId, bodies);
    for (let from = 0; from < deliveries.length; from += rowsAtATime) {
      await insertDeliveries(tx, tenantId, deliveries.slice(from, from + rowsAtATime));
    }
    return deliveries;
  });
}

/** A test is for the webhook it tests, whatever that wants, and for no other. */
function isFor({ webhookId, events }: Subscription, type: string, subjectId: string | null): boolean {
  return type === 'webhook.test' ? webhookId === subjectId : wantsEvent(events, type);
}
