// SQL by hand: ranges of the feed for every stream, in one round trip.
import type { Database } from '../database.js';

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
