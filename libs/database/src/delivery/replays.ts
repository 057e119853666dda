// SQL by hand: bulk updates that skip locked rows.
import { newUuid, type ReplayStatus } from '@idsync/contracts';
import { type FindOperator, In } from 'typeorm';
import { arraysOf, bigints, booleans, texts, uuids } from '../arrays.js';
import { committedWith } from '../bus/outbox.js';
import { unanswered } from '../by-tenant.js';
import type { Transaction } from '../database.js';
import { WebhookEntity } from '../entities/gateway.entities.js';
import { WebhookReplayEntity } from '../entities/webhook-delivery.entities.js';
import { findRow } from '../rows.js';
import type { SequenceRange } from './event-bodies.js';
import type { NewDelivery } from './fan-out.js';

/** A replay that has not ended, with its position. */
export type OpenReplay = WebhookReplayEntity;

/** Progress of one part of a replay. */
export interface ReplayProgress {
  position: number;
  lookedAt: number;
  done: number;
  ended: boolean;
}

/** Returns what a webhook receives now, or undefined if the webhook was deleted. */
export function findReplayedWebhook(
  tx: Transaction,
  webhookId: string,
): Promise<Pick<WebhookEntity, 'events' | 'filter' | 'payload'> | undefined> {
  return findRow(tx, WebhookEntity, { where: { tenantId: tx.tenantId, id: webhookId } });
}

const open: ReplayStatus[] = ['queued', 'running'];
const isOpen: FindOperator<ReplayStatus> = In(open);

/** Locks the replay of a message. Returns undefined if it has ended; it is deleted long after that. */
export async function lockReplay(tx: Transaction, id: string): Promise<OpenReplay | undefined> {
  const lock = { mode: 'pessimistic_write' } as const;
  const found = await findRow(tx, WebhookReplayEntity, { where: { tenantId: tx.tenantId, id }, lock });
  const replay = committedWith(found, 'the replay');
  return open.includes(replay.status) ? replay : undefined;
}

export async function beginReplay(
  tx: Transaction,
  id: string,
  { position, untilSequence, total }: { position: number; untilSequence: number; total: number },
): Promise<void> {
  await tx.manager.update(
    WebhookReplayEntity,
    { tenantId: tx.tenantId, id },
    { status: 'running', position, untilSequence, total },
  );
}

export async function saveReplayProgress(tx: Transaction, id: string, progress: ReplayProgress): Promise<void> {
  await tx.query(
    `update webhook_replays
        set position = $2, looked_at = looked_at + $3, done = done + $4, announced_at = now(),
            status = case when $5 then 'done' else status end, ended_at = case when $5 then (select now()) end
      where tenant_id = $6 and id = $1`,
    [id, progress.position, progress.lookedAt, progress.done, progress.ended, tx.tenantId],
  );
}

/** The open replays whose next part was not answered. */
export const unansweredReplays = unanswered('webhook_replays', 'announced_at', `status in ('queued', 'running')`);

export async function cancelReplay(tx: Transaction, id: string): Promise<void> {
  const cancelled = { status: 'cancelled', endedAt: () => 'now()' } as const;
  await tx.manager.update(WebhookReplayEntity, { tenantId: tx.tenantId, id, status: isOpen }, cancelled);
}

const again = `status = 'pending', is_retry = true, attempts = 0, ended_at = null`;
const dueAgain = `${again}, due_at = now()`;

/** A delivery by its id, or by the sequence of its event. */
export type DeliveryKey = { id: string } | { sequence: number };

/**
 * Makes a delivery due before all retries of its webhook, unless an attempt is in flight. Returns whether it is due now.
 */
export async function resendDelivery(tx: Transaction, webhookId: string, key: DeliveryKey): Promise<boolean> {
  return tx.any(
    `update webhook_deliveries set ${again}, due_at = least(now(), (
            select due_at from webhook_deliveries
             where tenant_id = $1 and webhook_id = $2 and status = 'pending' and is_retry
             order by due_at limit 1) - interval '1 millisecond')
      where tenant_id = $1 and webhook_id = $2 and ${'id' in key ? 'id' : 'event_sequence'} = $3
        and (lease_until is null or lease_until < now()) returning id`,
    [tx.tenantId, webhookId, 'id' in key ? key.id : key.sequence],
  );
}

/** Counts the dead deliveries of a webhook. `last` is the highest sequence among them. */
export async function countDeadDeliveries(
  tx: Transaction,
  webhookId: string,
): Promise<{ total: number; last: number }> {
  const [row] = await tx.query<{ total: number; last: number }>(
    `select count(*) as total, coalesce(max(event_sequence), 0)::bigint as last
       from webhook_deliveries where tenant_id = $1 and webhook_id = $2 and status = 'dead'`,
    [tx.tenantId, webhookId],
  );
  return row ?? { total: 0, last: 0 };
}

/** Makes dead deliveries due again, the oldest first. Returns their sequences. */
export async function requeueDeadDeliveries(
  tx: Transaction,
  { tenantId, webhookId, position, untilSequence }: OpenReplay,
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ sequence: number }>(
    `update webhook_deliveries set ${dueAgain} where tenant_id = $1 and id in (
       select id from webhook_deliveries
        where tenant_id = $1 and webhook_id = $2 and status = 'dead' and event_sequence > $3 and event_sequence <= $4
        order by event_sequence limit $5)
     returning event_sequence as sequence`,
    [tenantId, webhookId, position, untilSequence ?? 0, limit],
  );
  return rows.map(({ sequence }) => sequence);
}

/** Makes existing deliveries due again and creates missing ones. Skips deliveries with an attempt in flight. */
export async function redeliver(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<number> {
  const rows = await tx.query(
    `insert into webhook_deliveries as d (id, tenant_id, webhook_id, event_sequence, event_type, is_retry, thin, due_at)
     select id, $1, webhook_id, sequence, type, true, thin, now()
       from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::boolean[]) as n (id, webhook_id, sequence, type, thin)
     on conflict (tenant_id, webhook_id, event_sequence) where webhook_id is not null do update set ${again}, due_at = excluded.due_at
      where d.lease_until is null or d.lease_until < excluded.due_at
     returning 1`,
    [
      tx.tenantId,
      uuids(deliveries.map(() => newUuid())),
      ...arraysOf(deliveries, { webhookId: uuids, sequence: bigints, type: texts, thin: booleans }),
    ],
  );
  return rows.length;
}

/**
 * Events are dated at the beginning of a transaction and numbered at its end, so their times are not strictly in the
 * order of their numbers.
 */
const skewMs = 15 * 60_000;

/**
 * Returns a range of sequences that contains all events of a time range. Times grow with sequences, so both ends are
 * found by binary search.
 */
export async function findSequencesOf(
  tx: Transaction,
  { since, until }: { since?: Date; until?: Date },
): Promise<SequenceRange> {
  const [ends] = await tx.query<{ first: number; last: number }>(
    `select coalesce((select min(sequence) from events where tenant_id = $1), 1)::bigint as first,
            coalesce((select max(sequence) from events where tenant_id = $1), 0)::bigint as last`,
    [tx.tenantId],
  );
  const { first, last } = ends ?? { first: 1, last: 0 };
  const before = async (time: number): Promise<number> => {
    let [low, high] = [first, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [event] = await tx.query<{ at: Date }>(
        'select occurred_at as at from events where tenant_id = $1 and sequence >= $2 order by sequence limit 1',
        [tx.tenantId, middle],
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
