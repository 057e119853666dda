// SQL by hand: polled by clients, benchmarked.
import type { Database, Transaction } from '../../database.js';
import { findEventBodies } from '../../delivery/event-bodies.js';

/** A part of a tenant's events, in commit order. */
export interface FeedPage {
  /** JSON texts of the events, as sent to webhooks. */
  bodies: string[];
  /** The last sequence that was examined: no later commit adds an event at or before it. */
  nextAfter: number;
  hasMore: boolean;
  /** The newest sequence of the tenant. */
  newest: number;
}

/**
 * Maximum number of events that a page examines with a filter. A selective filter makes pages short or empty, but not
 * slow.
 */
const maxFilteredEvents = 5_000;

/**
 * Reads a tenant's events after a sequence, or none and the position of the newest one. The end is read before the
 * events, and committed sequences have no gaps, so a concurrent commit appears on a later page and never before
 * `nextAfter`.
 */
export async function findFeedPage(
  tx: Transaction,
  { after: given, types, limit }: { after: number | 'latest'; types?: readonly string[]; limit: number },
): Promise<FeedPage> {
  const [sequence] = await tx.query<{ last: number }>('select last from event_sequences where tenant_id = $1', [
    tx.tenantId,
  ]);
  const end = sequence?.last ?? 0;
  const after = given === 'latest' ? end : given;
  if (after >= end) return { bodies: [], nextAfter: after, hasMore: false, newest: end };
  const last = Math.min(end, after + (types ? maxFilteredEvents : limit));
  const { bodies, reached } = await findEventBodies(tx, { first: after + 1, last }, { types, limit });
  return { bodies: bodies.map(({ body }) => body), nextAfter: reached, hasMore: reached < end, newest: end };
}

/** An event without its values. */
export interface EventReference {
  sequence: number;
  id: string;
  type: string;
  occurredAt: Date;
  identityId: string | null;
  subjectId: string | null;
  jobId: string | null;
}

/** Returns the sequence of the tenant's newest event. */
export async function findNewestSequence(database: Database, tenantId: string): Promise<number> {
  const [row] = await database.read<{ last: number }>(tenantId, {
    name: 'newest-sequence',
    text: 'select last from event_sequences where tenant_id = $1',
    values: [tenantId],
  });
  return row?.last ?? 0;
}

/**
 * Reads the events of a range in order. Sequences have no gaps and follow the order of commits, so all events up to the
 * newest sequence are visible.
 */
export function findEventReferences(
  database: Database,
  tenantId: string,
  { first, last }: { first: number; last: number },
): Promise<EventReference[]> {
  return database.read(tenantId, {
    name: 'event-references',
    text: `select sequence, id, type, occurred_at as "occurredAt", identity_id as "identityId",
                  subject_id as "subjectId", job_id as "jobId"
             from events where tenant_id = $1 and sequence between $2 and $3 order by sequence`,
    values: [tenantId, first, last],
  });
}
