// SQL by hand: events are inserted in bulk under the lock of their sequence.
import { type EventType, newUuid } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { arraysOf, jsons, texts, times, uuids } from '../arrays.js';
import type { Database, Transaction } from '../database.js';
import { type EventDetails, storedDetails } from '../event-details.js';
import { eventsAppended } from '../metrics.js';

export interface NewEvent {
  type: EventType;
  /** Given by `assignTime` or `proposeTime`; by default the time at which the event is appended. */
  occurredAt?: Date;
  /** The identity whose history contains the event. */
  identityId?: string;
  /** Subject of the event: the identity, record or job itself. */
  subjectId?: string;
  jobId?: string;
  details: EventDetails;
}

/**
 * The next time of a tenant: now, but at least a millisecond after the last time. The API shows milliseconds, and a
 * clock may be set back. PostgreSQL's clock decides, because the clocks of processes differ.
 */
const nextTime = `greatest(clock.now, (last_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')`;
const clock = `(select date_trunc('milliseconds', clock_timestamp()) as now) as clock`;

/**
 * Locks a tenant's sequence until the commit and returns the time of a change. Times follow the order of commits, and no
 * two transactions share one. Tests give `fixedTime` instead.
 */
export async function assignTime(tx: Transaction, fixedTime?: Date): Promise<Date> {
  const [assigned] = await tx.query<{ at: Date }>(
    `update event_sequences set last_at = coalesce($2, ${nextTime}) from ${clock}
      where tenant_id = $1 returning last_at as at`,
    [tx.tenantId, fixedTime ?? null],
  );
  if (!assigned) throw new Error(`tenant ${tx.tenantId} has no event sequence`);
  return assigned.at;
}

/** Returns the time that a change would get now, for `confirmTime`. Locks nothing. */
export async function proposeTime(tx: Transaction): Promise<Date> {
  const [proposed] = await tx.query<{ at: Date }>(
    `select ${nextTime} as at from event_sequences cross join ${clock} where tenant_id = $1`,
    [tx.tenantId],
  );
  if (!proposed) throw new Error(`tenant ${tx.tenantId} has no event sequence`);
  return proposed.at;
}

/**
 * Locks a tenant's sequence until the commit, as `assignTime` does, for a change that was written with a proposed time.
 * Returns false if the time is not after those of all other changes; the transaction must then be rolled back.
 */
export async function confirmTime(tx: Transaction, proposed: Date): Promise<boolean> {
  return tx.any(
    'update event_sequences set last_at = $2 where tenant_id = $1 and (last_at is null or last_at < $2) returning 1',
    [tx.tenantId, proposed],
  );
}

/**
 * Appends events to a tenant's log, and announces them after the commit to the processes that fan them out. Returns their
 * ids. Call it last in a transaction: it locks the tenant's sequence until the commit, so that numbers have no gaps and
 * follow commit order.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<string[]> {
  const { tenantId } = tx;
  if (events.length === 0) return [];
  const ids = events.map(() => newUuid());
  const isTimed = events.every(({ occurredAt }) => occurredAt !== undefined);
  // Sent together: the second statement sees the sequence of the first.
  const [sequences, [appended]] = await Promise.all([
    tx.query(
      `update event_sequences set last = last + $2, last_at = case when $3 then last_at else ${nextTime} end
         from ${clock} where tenant_id = $1 returning 1`,
      [tenantId, events.length, isTimed],
    ),
    tx.query<{ last: string }>(
      `with appended as (
         insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, subject_id, job_id, details, traceparent)
         select $1, s.last - $2::bigint + e.nth, e.id, e.type, coalesce(e.occurred_at, s.last_at), e.identity_id, e.subject_id,
                e.job_id, e.details, $10
           from (select generate_series(1, $2::bigint) as nth, unnest($3::uuid[]) as id, unnest($4::text[]) as type,
                        unnest($5::timestamptz[]) as occurred_at, unnest($6::uuid[]) as identity_id,
                        unnest($7::uuid[]) as subject_id, unnest($8::uuid[]) as job_id, unnest($9::jsonb[]) as details) as e
          cross join (select last, last_at from event_sequences where tenant_id = $1 limit 1) as s
         returning 1)
       select last from event_sequences where tenant_id = $1`,
      [
        tenantId,
        events.length,
        uuids(ids),
        ...arraysOf(events, { type: texts, occurredAt: times, identityId: uuids, subjectId: uuids, jobId: uuids }),
        jsons(events.map((event) => storedDetails(event.details))),
        traceparent() ?? null,
      ],
    ),
  ]);
  if (sequences.length === 0) throw new Error(`tenant ${tenantId} has no event sequence`);
  // A statement with a table would notify on the node of the tenant.
  if (!tx.announceEvents) await tx.query('select pg_notify($1, $2)', [eventsChannel, `${tenantId} ${appended?.last}`]);
  tx.afterCommit(() => {
    tx.announceEvents?.(tenantId, Number(appended?.last));
    for (const { type } of events) eventsAppended.add({ type });
  });
  return ids;
}

/** PostgreSQL notifies it when events are committed, with the tenant and its last sequence. */
const eventsChannel = 'idsync_events';

/**
 * Calls `onEvents` after each commit of events, in every process that listens. Notifications are lost while the
 * connection is; `onListening` is called when listening begins, and again afterwards.
 */
export function listenToEvents(
  database: Pick<Database, 'listen'>,
  onEvents: (tenantId: string, lastSequence: number) => void,
  onListening: () => void,
): () => Promise<void> {
  const onNotify = (notice: string) => {
    const [tenantId = '', last] = notice.split(' ');
    onEvents(tenantId, Number(last));
  };
  return database.listen(eventsChannel, onNotify, onListening);
}
