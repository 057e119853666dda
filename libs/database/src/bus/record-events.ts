// SQL by hand: events are inserted in bulk under the lock of their sequence.
import { type EventType, type FieldChange, newUuid } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { eventsAppended } from '../metrics.js';
import { enqueue } from './outbox.js';

export interface NewEvent {
  type: EventType;
  /** Given by `assignTime`; by default the time at which the event is appended. */
  occurredAt?: Date;
  /** The identity whose history contains the event. */
  identityId?: string;
  /** Subject of the event: the identity, record or job itself. */
  subjectId?: string;
  jobId?: string;
  details: { changes?: FieldChange[] } & Record<string, unknown>;
}

/**
 * The next time of a tenant: now, but at least a millisecond after the last time. The API shows milliseconds, and a
 * clock may be set back. PostgreSQL's clock decides, because the clocks of processes differ.
 */
const nextTime = `greatest(date_trunc('milliseconds', clock_timestamp()), last_at + interval '1 millisecond')`;

/**
 * Locks a tenant's sequence until the commit and returns the time of a change. Times follow the order of commits, and no
 * two transactions share one. Tests give `fixedTime` instead.
 */
export async function assignTime(tx: Transaction, tenantId: string, fixedTime?: Date): Promise<Date> {
  const [assigned] = await tx.query<{ at: Date }>(
    `update event_sequences set last_at = coalesce($2, ${nextTime}) where tenant_id = $1 returning last_at as at`,
    [tenantId, fixedTime ?? null],
  );
  if (!assigned) throw new Error(`tenant ${tenantId} has no event sequence`);
  return assigned.at;
}

/**
 * Appends events to a tenant's log and enqueues an outbox message for them. Returns their ids.
 * Call it last in a transaction: it locks the tenant's sequence until the commit, so that numbers have no gaps and
 * follow commit order.
 */
export async function recordEvents(tx: Transaction, tenantId: string, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const [sequence] = await tx.query<{ last: number; at: Date }>(
    `update event_sequences set last = last + $2, last_at = case when $3 then ${nextTime} else last_at end
      where tenant_id = $1 returning last, last_at as at`,
    [tenantId, events.length, events.some(({ occurredAt }) => occurredAt === undefined)],
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
      times(events.map((event) => event.occurredAt ?? sequence.at)),
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
