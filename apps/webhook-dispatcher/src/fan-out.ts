import {
  announceRendering,
  type Database,
  findActiveSubscriptions,
  findEventBodies,
  insertDeliveries,
  lockFanOut,
  type NewDelivery,
  type SequenceRange,
  type Subscription,
  saveFanOut,
  savePayloads,
  type Transaction,
} from '@idsync/database';
import { linkTrace } from '@idsync/runtime';
import { wantsEvent } from './match-subscription.js';

/** Events of one transaction: what a large import leaves is worked off in parts, each complete when it commits. */
const chunk = 500;
const rowsAtATime = 10_000;

/** What new deliveries there are: the least sequence of each webhook. */
export type FannedOut = Map<string, { tenantId: string; sequence: number }>;

/**
 * Makes deliveries of the next events of a tenant, one for each active webhook that wants the event, and the text that is sent. The
 * log tells what is next, so it matters to nobody how often this is asked, by whom, and what became of the message that asked.
 */
export async function fanOutPart(
  database: Database,
  tenantId: string,
): Promise<{ found: FannedOut; reached: number; more: boolean }> {
  return database.transaction(tenantId, async (tx) => {
    const { sequence, last } = await lockFanOut(tx, tenantId);
    const found: FannedOut = new Map();
    if (sequence >= last) return { found, reached: sequence, more: false };
    const subscriptions = await findActiveSubscriptions(tx, tenantId);
    // Nobody listens: nothing is read.
    const upTo = subscriptions.length === 0 ? last : Math.min(sequence + chunk, last);
    const deliveries =
      subscriptions.length === 0
        ? []
        : await fanOutRange(tx, tenantId, { first: sequence + 1, last: upTo }, subscriptions);
    for (const delivery of deliveries) {
      if (!found.has(delivery.webhookId)) found.set(delivery.webhookId, { tenantId, sequence: delivery.sequence });
    }
    await saveFanOut(tx, tenantId, upTo);
    return { found, reached: upTo, more: upTo < last };
  });
}

async function fanOutRange(
  tx: Transaction,
  tenantId: string,
  range: SequenceRange,
  subscriptions: readonly Subscription[],
): Promise<NewDelivery[]> {
  await announceRendering(tx, tenantId);
  // Nobody needs to name tests to get their own.
  const types = [...new Set([...subscriptions.flatMap(({ events }) => events), 'webhook.test'])];
  const bodies = await findEventBodies(tx, tenantId, range, { types, limit: chunk });
  linkTrace(bodies.map(({ traceparent }) => traceparent));
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
}

/** A test is for the webhook it tests, whatever that wants, and for no other. */
function isFor({ webhookId, events }: Subscription, type: string, subjectId: string | null): boolean {
  return type === 'webhook.test' ? webhookId === subjectId : wantsEvent(events, type);
}
