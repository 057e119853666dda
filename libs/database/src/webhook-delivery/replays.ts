import type { ReplayFilter, ReplayKind } from '@idsync/contracts';
import { newUuid } from '@idsync/contracts';
import { bigints, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import type { SequenceRange } from './event-bodies.js';
import type { NewDelivery } from './fan-out.js';

/** A replay that is not done, and where it has come to. */
export interface OpenReplay {
  id: string;
  tenantId: string;
  webhookId: string;
  kind: ReplayKind;
  filter: ReplayFilter;
  /** The last sequence that was looked at. */
  position: number;
  /** The last one to look at; null until it has begun. */
  untilSequence: number | null;
}

/** What one part of a replay did. */
export interface ReplayProgress {
  position: number;
  lookedAt: number;
  done: number;
  ended: boolean;
}

/** What a webhook takes now; undefined if it was deleted. */
export async function findReplayedWebhook(
  tx: Transaction,
  tenantId: string,
  webhookId: string,
): Promise<{ events: string[] } | undefined> {
  const [webhook] = await tx.query<{ events: string[] }>(
    'select events from webhooks where tenant_id = $1 and id = $2',
    [tenantId, webhookId],
  );
  return webhook;
}

/** Locks a replay that still has something to do. */
export async function lockReplay(tx: Transaction, tenantId: string, id: string): Promise<OpenReplay | undefined> {
  const [replay] = await tx.query<OpenReplay>(
    `select id, tenant_id as "tenantId", webhook_id as "webhookId", kind, filter, position,
            until_sequence as "untilSequence"
       from webhook_replays where tenant_id = $1 and id = $2 and status in ('queued', 'running') for update`,
    [tenantId, id],
  );
  return replay;
}

export async function beginReplay(
  tx: Transaction,
  id: string,
  { position, untilSequence, total }: { position: number; untilSequence: number; total: number },
): Promise<void> {
  await tx.query(
    `update webhook_replays set status = 'running', position = $2, until_sequence = $3, total = $4 where id = $1`,
    [id, position, untilSequence, total],
  );
}

export async function saveReplayProgress(tx: Transaction, id: string, progress: ReplayProgress): Promise<void> {
  await tx.query(
    `update webhook_replays
        set position = $2, looked_at = looked_at + $3, done = done + $4, announced_at = now(),
            status = case when $5 then 'done' else status end, ended_at = case when $5 then now() end
      where id = $1`,
    [id, progress.position, progress.lookedAt, progress.done, progress.ended],
  );
}

/** Open replays whose next part was asked for `olderThanMs` ago, marked as asked for anew; some at a time. One that is at work is passed over. */
export async function takeUnansweredReplays(
  tx: Transaction,
  olderThanMs: number,
  limit: number,
): Promise<{ id: string; tenantId: string }[]> {
  return tx.query(
    `update webhook_replays set announced_at = now() where id in (
       select id from webhook_replays
        where status in ('queued', 'running') and announced_at < now() - $1 * interval '1 millisecond'
        order by announced_at limit $2 for update skip locked)
     returning id, tenant_id as "tenantId"`,
    [olderThanMs, limit],
  );
}

export async function cancelReplay(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx.query(
    `update webhook_replays set status = 'cancelled', ended_at = now()
      where tenant_id = $1 and id = $2 and status in ('queued', 'running')`,
    [tenantId, id],
  );
}

const madeDue = `status = 'pending', is_retry = true, attempts = 0, due_at = now(), ended_at = null`;

/** One that is under way is left to end. Returns whether it is due now. */
export async function resendDelivery(
  tx: Transaction,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
): Promise<boolean> {
  const rows = await tx.query(
    `update webhook_deliveries set ${madeDue}
      where tenant_id = $1 and webhook_id = $2 and id = $3 and (lease_until is null or lease_until < now()) returning id`,
    [tenantId, webhookId, deliveryId],
  );
  return rows.length > 0;
}

/** How many deliveries of a webhook were given up, and the last of them. */
export async function countDeadDeliveries(
  tx: Transaction,
  tenantId: string,
  webhookId: string,
): Promise<{ total: number; last: number }> {
  const [row] = await tx.query<{ total: number; last: number }>(
    `select count(*) as total, coalesce(max(event_sequence), 0)::bigint as last
       from webhook_deliveries where tenant_id = $1 and webhook_id = $2 and status = 'dead'`,
    [tenantId, webhookId],
  );
  return row ?? { total: 0, last: 0 };
}

/** Makes given-up deliveries due again, the oldest first. Returns their sequences. */
export async function requeueDeadDeliveries(
  tx: Transaction,
  { tenantId, webhookId, position, untilSequence }: OpenReplay,
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ sequence: number }>(
    `update webhook_deliveries set ${madeDue} where id in (
       select id from webhook_deliveries
        where tenant_id = $1 and webhook_id = $2 and status = 'dead' and event_sequence > $3 and event_sequence <= $4
        order by event_sequence limit $5)
     returning event_sequence as sequence`,
    [tenantId, webhookId, position, untilSequence ?? 0, limit],
  );
  return rows.map(({ sequence }) => sequence);
}

/** Makes deliveries due that were sent before, and makes those that never were. What is under way is left to end. */
export async function redeliver(
  tx: Transaction,
  tenantId: string,
  deliveries: readonly NewDelivery[],
): Promise<number> {
  const rows = await tx.query(
    `insert into webhook_deliveries as d (id, tenant_id, webhook_id, event_sequence, event_type, is_retry)
     select id, $1, webhook_id, sequence, type, true
       from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[]) as n (id, webhook_id, sequence, type)
     on conflict (webhook_id, event_sequence) do update set ${madeDue}
      where d.lease_until is null or d.lease_until < now()
     returning 1`,
    [
      tenantId,
      uuids(deliveries.map(() => newUuid())),
      uuids(deliveries.map(({ webhookId }) => webhookId)),
      bigints(deliveries.map(({ sequence }) => sequence)),
      texts(deliveries.map(({ type }) => type)),
    ],
  );
  return rows.length;
}

/** A transaction dates its events by its beginning and numbers them at its end, so times run behind numbers a little. */
const skewMs = 15 * 60_000;

/** Sequences among which all events of a time are; times grow with them, so both ends are found by halving. */
export async function findSequencesOf(
  tx: Transaction,
  tenantId: string,
  { since, until }: { since?: Date; until?: Date },
): Promise<SequenceRange> {
  const [ends] = await tx.query<{ first: number; last: number }>(
    `select coalesce((select min(sequence) from events where tenant_id = $1), 1)::bigint as first,
            coalesce((select max(sequence) from events where tenant_id = $1), 0)::bigint as last`,
    [tenantId],
  );
  const { first, last } = ends ?? { first: 1, last: 0 };
  const before = async (time: number): Promise<number> => {
    let [low, high] = [first, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [event] = await tx.query<{ at: Date }>(
        'select occurred_at as at from events where tenant_id = $1 and sequence >= $2 order by sequence limit 1',
        [tenantId, middle],
      );
      if (event && event.at.getTime() < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    first: since ? await before(since.getTime() - skewMs) : first,
    last: until ? Math.min((await before(until.getTime() + skewMs)) - 1, last) : last,
  };
}
