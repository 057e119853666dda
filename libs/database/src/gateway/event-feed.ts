import type { Transaction } from '../database.js';
import { findEventBodies } from '../webhook-delivery/event-bodies.js';

/** A part of a tenant's events, in the order in which they were committed. */
export interface FeedPage {
  /** The events' JSON texts, as webhooks are sent them. */
  bodies: string[];
  /** The last sequence that was looked at: nothing at or before it is still to come. */
  nextAfter: number;
  hasMore: boolean;
}

/** Events that a filter is tried on for one page: where it lets few through, a page is short or empty, and never slow. */
const filteredAtMost = 5_000;

/**
 * What a tenant's events tell after a sequence. The end is read before the events are, and a sequence that is read has no gap
 * before it, so what commits meanwhile comes on a later page and never behind `nextAfter`.
 */
export async function findFeedPage(
  tx: Transaction,
  tenantId: string,
  { after, types, limit }: { after: number; types?: readonly string[]; limit: number },
): Promise<FeedPage> {
  const [sequence] = await tx.query<{ last: number }>('select last from event_sequences where tenant_id = $1', [
    tenantId,
  ]);
  const end = sequence?.last ?? 0;
  if (after >= end) return { bodies: [], nextAfter: after, hasMore: false };
  const last = Math.min(end, after + (types ? filteredAtMost : limit));
  const events = await findEventBodies(tx, tenantId, { first: after + 1, last }, { types, limit });
  const nextAfter = events.length === limit ? (events.at(-1)?.sequence ?? last) : last;
  return { bodies: events.map(({ body }) => body), nextAfter, hasMore: nextAfter < end };
}
