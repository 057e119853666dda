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
  /** Of what made it happen. */
  traceparent: string | null;
}

interface EventRow {
  sequence: number;
  id: string;
  type: string;
  occurredAt: Date;
  subjectId: string | null;
  identityId: string | null;
  traceparent: string | null;
  details: Record<string, unknown> & { changes?: { field: string }[] };
  /** What was sent of it, if that is still kept. */
  sent: string | null;
  /** The public document of what the event is about, as it is now; null if that has gone, or is not needed. */
  resource: string | null;
}

/**
 * The first bodies of a range, by sequence; only of types that these names mean, if there are any: a type, a prefix such as
 * `identity.*`, or `*`. What was sent is told again to the letter; otherwise an event is shown with what it is about as that is now.
 */
export async function findEventBodies(
  tx: Transaction,
  tenantId: string,
  range: SequenceRange,
  { types, limit }: { types?: readonly string[]; limit: number },
): Promise<EventBody[]> {
  // A limit keeps each look-up one of an index, whatever is known of the tables.
  const rows = await tx.query<EventRow>(
    `select e.sequence, e.id, e.type, e.occurred_at as "occurredAt", e.subject_id as "subjectId",
            e.identity_id as "identityId", e.details, e.traceparent,
            payload.body as sent, coalesce(record.document, identity.document) as resource
       from (select * from events
              where tenant_id = $1 and sequence between $2 and $3 and ($4::text[] is null or type like any($4))
              order by sequence limit $5) as e
       left join lateral (
         select body from event_payloads where tenant_id = $1 and sequence = e.sequence limit 1
       ) as payload on true
       left join lateral (
         select document from source_records
          where payload.body is null and tenant_id = $1 and id = e.subject_id and split_part(e.type, '.', 1) = kind limit 1
       ) as record on true
       left join lateral (
         select document from identities
          where payload.body is null and tenant_id = $1 and id = e.identity_id
            and split_part(e.type, '.', 1) in ('identity', 'lifecycle') limit 1
       ) as identity on true
      order by e.sequence`,
    [tenantId, range.first, range.last, types?.map(likePattern) ?? null, limit],
  );
  const tenant = encodeId('tenant', tenantId);
  return rows.map((row) => ({
    sequence: row.sequence,
    eventId: row.id,
    type: row.type,
    subjectId: row.subjectId,
    occurredAt: row.occurredAt,
    traceparent: row.traceparent,
    body: row.sent ?? renderEventBody(row, tenant),
  }));
}

/** A subscription's name for events as LIKE has it. */
function likePattern(name: string): string {
  return name.replaceAll('_', '\\_').replace(/\*$/, '%');
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
function renderData({ type, subjectId, identityId, details, resource }: EventRow): string {
  const { changes = [], ...rest } = details;
  const kind = subjectKinds[type.slice(0, type.indexOf('.'))];
  // Of a job or a test there is nothing but what the event says.
  if (!kind) return JSON.stringify({ ...rest, changed: 'status' in rest ? ['status'] : [] });
  const changed = [...new Set(changes.map(({ field }) => field))];
  const added = Object.fromEntries(additions.flatMap((key) => (key in rest ? [[key, rest[key]]] : [])));
  const more = JSON.stringify({ ...added, changed }).slice(1);
  // Of a mover the subject is the user; what is told is told of the identity.
  const id = kind === 'identity' ? (identityId ?? subjectId) : subjectId;
  const shown = resource ?? JSON.stringify({ ...(id && { id: encodeId(kind, id) }) });
  return shown === '{}' ? `{${more}` : `${shown.slice(0, -1)},${more}`;
}
