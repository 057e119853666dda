import { type Database, pipelined, type Transaction } from '@idsync/database';
import {
  askForProbe,
  type EventBody,
  findActiveSubscriptions,
  findEventBodies,
  insertDeliveries,
  lockFanOut,
  lockPayloadsForRendering,
  type NewDelivery,
  resendDelivery,
  type SequenceRange,
  type Subscription,
  saveFanOut,
  savePayloads,
} from '@idsync/database/delivery';
import { linkTrace } from '@idsync/runtime';
import { filterTest, wantsEvent } from './match-subscription.js';

/** Events per transaction. */
const chunk = 500;
const rowsPerInsert = 10_000;
/** Up to this number, new deliveries are claimed in the transaction of their events; more are claimed beside the next events. */
const claimedWithEvents = 16;

/** The lowest new sequence of each webhook. */
export type FannedOut = Map<string, { tenantId: string; sequence: number }>;

/** Claims the new deliveries in the transaction that inserts them; they are sent after its commit. */
export type ClaimNew = (tx: Transaction, found: FannedOut) => Promise<void>;

/**
 * Creates deliveries for the next events of a tenant, one for each active webhook whose filter matches, and renders
 * their bodies. The stored position makes duplicate calls harmless; a concurrent call does nothing, because the process
 * of the other one is notified of new events too. `reached`: all events up to it are fanned out; 0 if that is unknown.
 */
export async function fanOutPart(
  database: Database,
  tenantId: string,
  claimNew?: ClaimNew,
): Promise<{ found: FannedOut; reached: number; more: boolean }> {
  return database.transaction(tenantId, async (tx) => {
    // Statements are sent without waiting for earlier ones where nothing depends on their results.
    const [position, subscriptions] = await Promise.all([lockFanOut(tx), findActiveSubscriptions(tx)]);
    const found: FannedOut = new Map();
    if (!position) return { found, reached: 0, more: false };
    const { sequence, last } = position;
    if (sequence >= last) return { found, reached: sequence, more: false };
    // Without subscriptions, no event is read.
    const range = { first: sequence + 1, last: Math.min(sequence + chunk, last) };
    const { bodies, deliveries, reached } =
      subscriptions.length === 0
        ? { bodies: [], deliveries: [], reached: last }
        : await matchEvents(tx, range, subscriptions);
    for (const delivery of deliveries) {
      if (!found.has(delivery.webhookId)) found.set(delivery.webhookId, { tenantId, sequence: delivery.sequence });
    }
    await pipelined(async (send) => {
      send(saveDeliveries(tx, bodies, deliveries));
      send(saveFanOut(tx, reached));
      if (mayBeClaimed(deliveries)) await claimNew?.(tx, found);
    });
    return { found, reached, more: reached < last };
  });
}

async function matchEvents(
  tx: Transaction,
  range: SequenceRange,
  subscriptions: readonly Subscription[],
): Promise<{ bodies: EventBody[]; deliveries: NewDelivery[]; reached: number }> {
  // A test event is delivered regardless of the filter.
  const types = [...new Set([...subscriptions.flatMap(({ events }) => events), 'webhook.test'])];
  const [, { bodies, reached }] = await Promise.all([
    lockPayloadsForRendering(tx),
    findEventBodies(tx, range, { types, limit: chunk }),
  ]);
  linkTrace(bodies.map(({ traceparent }) => traceparent));
  const deliveries = bodies.flatMap((event) => {
    const { sequence, type } = event;
    const matches = filterTest(event.body);
    return subscriptions
      .filter((subscription) => isFor(subscription, event, matches))
      .map(({ webhookId, payload }) => ({ webhookId, sequence, type, thin: payload === 'thin' }));
  });
  return { bodies, deliveries, reached };
}

/** A test event may ask for a probe first. */
function mayBeClaimed(deliveries: readonly NewDelivery[]): boolean {
  const isTest = deliveries.some(({ type }) => type === 'webhook.test');
  return deliveries.length > 0 && deliveries.length <= claimedWithEvents && !isTest;
}

async function saveDeliveries(
  tx: Transaction,
  bodies: readonly EventBody[],
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const inserts: Promise<unknown>[] = [savePayloads(tx, bodies)];
  for (let from = 0; from < deliveries.length; from += rowsPerInsert) {
    inserts.push(insertDeliveries(tx, deliveries.slice(from, from + rowsPerInsert)));
  }
  await Promise.all(inserts);
  for (const { webhookId, sequence, type } of deliveries) {
    if (type !== 'webhook.test' || !(await askForProbe(tx, webhookId))) continue;
    // Otherwise it waits behind what has failed, and would not test a receiver that was just repaired.
    await resendDelivery(tx, webhookId, { sequence });
  }
}

/** Matches a test event to the webhook under test only, regardless of its filter. */
function isFor(
  { webhookId, events, filter }: Subscription,
  { type, subjectId }: EventBody,
  matches: ReturnType<typeof filterTest>,
): boolean {
  return type === 'webhook.test' ? webhookId === subjectId : wantsEvent(events, type) && matches(filter);
}
