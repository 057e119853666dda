import { newUuid, type ReplayFilter, type ReplayKind, type ReplayStatus } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { enqueue } from '../outbox.js';
import { readInOrder } from './read-in-order.js';

export interface ReplayRow {
  id: string;
  webhookId: string;
  kind: ReplayKind;
  filter: ReplayFilter;
  status: ReplayStatus;
  /** Events or deliveries to look at; null until it has begun. */
  total: number | null;
  lookedAt: number;
  /** Deliveries that were made due. */
  done: number;
  requestedBy: string;
  createdAt: Date;
  endedAt: Date | null;
}

export interface WantedReplay {
  webhookId: string;
  kind: ReplayKind;
  filter: ReplayFilter;
  requestedBy: string;
}

const columns = `id, webhook_id as "webhookId", kind, filter, status, total, looked_at as "lookedAt", done,
  requested_by as "requestedBy", created_at as "createdAt", ended_at as "endedAt"`;

/**
 * Writes down which deliveries an operator wants again and tells the dispatcher, in one transaction. Who asks for the same
 * before it has begun gets the same replay. The webhook must be locked: whoever asks at the same time comes second.
 */
export async function requestReplay(tx: Transaction, tenantId: string, wanted: WantedReplay): Promise<ReplayRow> {
  const { webhookId, kind, filter, requestedBy } = wanted;
  const [queued] = await tx.query<ReplayRow>(
    `select ${columns} from webhook_replays
      where tenant_id = $1 and webhook_id = $2 and status = 'queued' and kind = $3 and filter = $4 order by id limit 1`,
    [tenantId, webhookId, kind, JSON.stringify(filter)],
  );
  if (queued) return queued;
  const [row] = await tx.query<ReplayRow>(
    `insert into webhook_replays (id, tenant_id, webhook_id, kind, filter, requested_by) values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [newUuid(), tenantId, webhookId, kind, JSON.stringify(filter), requestedBy],
  );
  if (!row) throw new Error('a replay was not inserted');
  await enqueue(tx, { type: 'webhook.replay.requested', tenantId, data: { replay_id: row.id } });
  return row;
}

export async function findReplay(tx: Transaction, tenantId: string, id: string): Promise<ReplayRow | undefined> {
  const [row] = await tx.query<ReplayRow>(`select ${columns} from webhook_replays where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  return row;
}

/** Newest first; only those before `before`, if it is given. */
export async function listReplays(
  tx: Transaction,
  tenantId: string,
  { before, limit }: { before?: string; limit: number },
): Promise<ReplayRow[]> {
  await readInOrder(tx);
  return tx.query<ReplayRow>(
    `select ${columns} from webhook_replays where tenant_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [tenantId, before ?? null, limit],
  );
}
