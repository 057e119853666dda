import type { Message } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { enqueue, markReceived } from '@idsync/database/bus';
import {
  askForProbe,
  beginReplay,
  cancelReplay,
  countDeadDeliveries,
  findEventBodies,
  findReplayedWebhook,
  findSequencesOf,
  lockPayloadsForRendering,
  lockReplay,
  type OpenReplay,
  type ReplayProgress,
  redeliver,
  requeueDeadDeliveries,
  resendDelivery,
  type Subscription,
  savePayloads,
  saveReplayProgress,
} from '@idsync/database/delivery';
import { PermanentError } from '@idsync/messaging';
import { filterTest, wantsEvent } from './match-subscription.js';

/** Events or deliveries per transaction; each transaction saves the progress of the replay. */
const part = 500;

/** Processes one chunk of a replay and enqueues the next. After a crash, the replay continues from the last chunk. */
export async function replayPart(
  database: Database,
  { id: messageId, tenant_id: tenantId, data }: Message<'webhook.replay.requested'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    if (!(await markReceived(tx, messageId))) return;
    const replay = await lockReplay(tx, data.replay_id);
    if (!replay) return;
    const webhook = await findReplayedWebhook(tx, replay.webhookId);
    // The webhook was deleted meanwhile.
    if (!webhook) return cancelReplay(tx, replay.id);
    const progress = await runPart(tx, replay, webhook);
    await saveReplayProgress(tx, replay.id, progress);
    if (!progress.ended) await enqueue(tx, { type: 'webhook.replay.requested', tenantId, data });
  });
}

type Received = Pick<Subscription, 'events' | 'filter' | 'payload'>;

async function runPart(tx: Transaction, replay: OpenReplay, wanted: Received): Promise<ReplayProgress> {
  if (replay.kind === 'resend') return resend(tx, replay);
  return replay.kind === 'requeue' ? requeue(tx, replay) : replayEvents(tx, replay, wanted);
}

async function resend(tx: Transaction, replay: OpenReplay): Promise<ReplayProgress> {
  await beginReplay(tx, replay.id, { position: 0, untilSequence: 0, total: 1 });
  const { webhookId, filter } = replay;
  if (filter.delivery_id === undefined) throw new PermanentError('a resend replay has no delivery_id');
  const due = await resendDelivery(tx, webhookId, { id: filter.delivery_id });
  // The sender waits for the outcome.
  if (due) await askForProbe(tx, webhookId);
  return { position: 0, lookedAt: 1, done: due ? 1 : 0, ended: true };
}

async function requeue(tx: Transaction, replay: OpenReplay): Promise<ReplayProgress> {
  let { untilSequence } = replay;
  if (untilSequence === null) {
    const { total, last } = await countDeadDeliveries(tx, replay.webhookId);
    untilSequence = last;
    await beginReplay(tx, replay.id, { position: 0, untilSequence, total });
  }
  const sequences = await requeueDeadDeliveries(tx, { ...replay, untilSequence }, part);
  const count = sequences.length;
  return { position: Math.max(replay.position, ...sequences), lookedAt: count, done: count, ended: count < part };
}

async function replayEvents(tx: Transaction, replay: OpenReplay, wanted: Received): Promise<ReplayProgress> {
  const { webhookId, filter } = replay;
  const since = filter.since === undefined ? undefined : new Date(filter.since);
  const until = filter.until === undefined ? undefined : new Date(filter.until);
  let { position, untilSequence } = replay;
  if (untilSequence === null) {
    const range = await findSequencesOf(tx, { since, until });
    position = range.first - 1;
    untilSequence = Math.max(range.last, position);
    await beginReplay(tx, replay.id, { position, untilSequence, total: untilSequence - position });
  }
  const last = Math.min(position + part, untilSequence);
  const range = { first: position + 1, last };
  await lockPayloadsForRendering(tx);
  const { bodies: found, reached } = await findEventBodies(tx, range, { types: wanted.events, limit: part });
  const bodies = found.filter(
    ({ type, occurredAt, body }) =>
      // Test events are never replayed.
      type !== 'webhook.test' &&
      wantsEvent(filter.events ?? ['*'], type) &&
      filterTest(body)(wanted.filter) &&
      (!since || occurredAt >= since) &&
      (!until || occurredAt < until),
  );
  if (bodies.length > 0) await savePayloads(tx, bodies);
  const deliveries = bodies.map(({ sequence, type }) => ({
    webhookId,
    sequence,
    type,
    thin: wanted.payload === 'thin',
  }));
  const done = deliveries.length > 0 ? await redeliver(tx, deliveries) : 0;
  return { position: reached, lookedAt: reached - position, done, ended: reached >= untilSequence };
}
