import { encodeId, type IdKind, recordIds } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface SequenceRange {
  first: number;
  last: number;
}

/** What is told of one event: the exact text, the same to every webhook and in the feed. */
export interface EventBody {
  sequence: number;
  eventId: string;
  type: string;
  subjectId: string | null;
  occurredAt: Date;
  body: string;
}

interface EventRow {
  sequence: number;
  id: string;
  type: string;
  occurredAt: Date;
  subjectId: string | null;
  details: Record<string, unknown> & { changes?: { field: string }[] };
  /** The public document of what the event is about, as it is now; null if that has gone. */
  resource: string | null;
}

/**
 * The first bodies of a range, by sequence; only of types that are like one of these patterns, if there are any. What an event
 * is about is shown as it is now.
 */
export async function findEventBodies(
  tx: Transaction,
  tenantId: string,
  range: SequenceRange,
  { types, limit }: { types?: readonly string[]; limit: number },
): Promise<EventBody[]> {
  const rows = await tx.query<EventRow>(
    `select e.sequence, e.id, e.type, e.occurred_at as "occurredAt", e.subject_id as "subjectId", e.details,
            coalesce(record.document, identity.document) as resource
       from events e
       left join lateral (
         select document from source_records
          where tenant_id = $1 and id = e.subject_id and split_part(e.type, '.', 1) = kind
       ) as record on true
       left join lateral (
         select document from identities
          where tenant_id = $1 and id = e.identity_id and split_part(e.type, '.', 1) in ('identity', 'lifecycle')
       ) as identity on true
      where e.tenant_id = $1 and e.sequence between $2 and $3 and ($4::text[] is null or e.type like any($4))
      order by e.sequence limit $5`,
    [tenantId, range.first, range.last, types ?? null, limit],
  );
  const tenant = encodeId('tenant', tenantId);
  return rows.map((row) => ({
    sequence: row.sequence,
    eventId: row.id,
    type: row.type,
    subjectId: row.subjectId,
    occurredAt: row.occurredAt,
    body: renderEventBody(row, tenant),
  }));
}

const subjectKinds: Record<string, IdKind> = {
  identity: 'identity',
  lifecycle: 'identity',
  ...recordIds,
};

/** What an event adds to the resource it is about. */
const additions = ['job_id', 'operation_id', 'merged_id', 'into_id', 'from_id', 'new_id', 'handed_over', 'erased'];

function renderEventBody(event: EventRow, tenant: string): string {
  const envelope = {
    id: encodeId('event', event.id),
    type: event.type,
    timestamp: event.occurredAt.toISOString(),
    tenant_id: tenant,
    sequence: event.sequence,
  };
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${renderData(event)}}`;
}

/** A document is text that was rendered once: it is lengthened, never parsed. */
function renderData({ type, subjectId, details, resource }: EventRow): string {
  const { changes = [], ...rest } = details;
  const kind = subjectKinds[type.slice(0, type.indexOf('.'))];
  // Of a job or a test there is nothing but what the event says.
  if (!kind) return JSON.stringify({ ...rest, changed: 'status' in rest ? ['status'] : [] });
  const changed = [...new Set(changes.map(({ field }) => field))];
  const added = Object.fromEntries(additions.flatMap((key) => (key in rest ? [[key, rest[key]]] : [])));
  const more = JSON.stringify({ ...added, changed }).slice(1);
  const shown = resource ?? JSON.stringify({ ...(subjectId && { id: encodeId(kind, subjectId) }) });
  return shown === '{}' ? `{${more}` : `${shown.slice(0, -1)},${more}`;
}
