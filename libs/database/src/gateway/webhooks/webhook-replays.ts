import { newUuid } from '@idsync/contracts';
import { Equal, LessThan } from 'typeorm';
import { enqueue } from '../../bus/outbox.js';
import type { Transaction } from '../../database.js';
import { WebhookReplayEntity } from '../../entities/webhook-delivery.entities.js';
import { findRow, insertRow } from '../../rows.js';
import { useIndexScans } from '../../transaction-settings.js';

export type ReplayRow = WebhookReplayEntity;
export type ReplayRequest = Pick<ReplayRow, 'webhookId' | 'kind' | 'filter' | 'requestedBy'>;

/**
 * Stores a replay and notifies the dispatcher, in one transaction. If an equal replay is still queued, returns that
 * one. Returns undefined if `maxQueued` other replays of the webhook are queued. The caller must lock the webhook, so
 * that concurrent requests are serialised.
 */
export async function requestReplay(
  tx: Transaction,
  wanted: ReplayRequest,
  maxQueued?: number,
): Promise<ReplayRow | undefined> {
  const { tenantId } = tx;
  const { webhookId, kind, filter, requestedBy } = wanted;
  const queued = await findRow(tx, WebhookReplayEntity, {
    where: { tenantId, webhookId, status: 'queued', kind, filter: Equal(filter) },
    order: { id: 'ASC' },
  });
  if (queued) return queued;
  if (maxQueued !== undefined && (await hasQueuedReplays(tx, webhookId, maxQueued))) return undefined;
  const values = { id: newUuid(), tenantId, webhookId, kind, filter, requestedBy };
  const replay = await insertRow(tx, WebhookReplayEntity, values);
  await enqueue(tx, { type: 'webhook.replay.requested', tenantId, data: { replay_id: replay.id } });
  return replay;
}

async function hasQueuedReplays(tx: Transaction, webhookId: string, limit: number): Promise<boolean> {
  const where = { tenantId: tx.tenantId, webhookId, status: 'queued' as const };
  const queued = await tx.manager.find(WebhookReplayEntity, { select: { id: true }, where, take: limit });
  return queued.length >= limit;
}

export function findReplay(tx: Transaction, id: string): Promise<ReplayRow | undefined> {
  return findRow(tx, WebhookReplayEntity, { where: { tenantId: tx.tenantId, id } });
}

/** Lists replays, newest first; only those before `before`, if it is given. */
export async function listReplays(
  tx: Transaction,
  { before, limit }: { before?: string; limit: number },
): Promise<ReplayRow[]> {
  await useIndexScans(tx);
  const where = { tenantId: tx.tenantId, ...(before !== undefined && { id: LessThan(before) }) };
  return tx.manager.find(WebhookReplayEntity, { where, order: { id: 'DESC' }, take: limit });
}
