// SQL by hand: events are inserted in bulk under the lock of their sequence.
import { type EventType, type FieldChange, newUuid } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { eventsAppended } from '../metrics.js';
import { enqueue } from './outbox.js';

export interface NewEvent {
  type: EventType;
  occurredAt: Date;
  /** The identity whose history contains the event. */
  identityId?: string;
  /** Subject of the event: the identity, record or job itself. */
  subjectId?: string;
  jobId?: string;
  details: { changes?: FieldChange[] } & Record<string, unknown>;
}

/**
 * Appends events to a tenant's log and enqueues an outbox message for them. Returns their ids.
 * Call it last in a transaction: it locks the tenant's sequence until the commit, so that numbers have no gaps and
 * follow commit order.
 */
export async function recordEvents(tx: Transaction, tenantId: string, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const [sequence] = await tx.query<{ last: number }>(
    'update event_sequences set last = last + $2 where tenant_id = $1 returning last',
    [tenantId, events.length],
  );
  if (!sequence) throw new Error(`tenant ${tenantId} has no event sequence`);
  const first = sequence.last - events.length + 1;
  const ids = events.map(() => newUuid());
  await tx.query(
    `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, subject_id, job_id, details, traceparent)
     select $1, $2 + ordinal - 1, id, type, occurred_at, identity_id, subject_id, job_id, details, $10
       from unnest($3::uuid[], $4::text[], $5::timestamptz[], $6::uuid[], $7::uuid[], $8::uuid[], $9::jsonb[])
            with ordinality as e (id, type, occurred_at, identity_id, subject_id, job_id, details, ordinal)`,
    [
      tenantId,
      first,
      uuids(ids),
      texts(events.map((event) => event.type)),
      times(events.map((event) => event.occurredAt)),
      uuids(events.map((event) => event.identityId)),
      uuids(events.map((event) => event.subjectId)),
      uuids(events.map((event) => event.jobId)),
      jsons(events.map((event) => JSON.stringify(event.details))),
      traceparent() ?? null,
    ],
  );
  await enqueue(tx, {
    type: 'facts.recorded',
    tenantId,
    data: { first_sequence: first, last_sequence: sequence.last },
  });
  tx.afterCommit(() => {
    for (const { type } of events) eventsAppended.add({ type });
  });
  return ids;
}
