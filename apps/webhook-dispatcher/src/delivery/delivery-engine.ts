import { encodeId } from '@idsync/contracts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type Database,
  findDueEndpoints,
  findReceivers,
  forgetChangedEndpoints,
  type Receiver,
} from '@idsync/database';
import { pause, WakeUp } from '@idsync/messaging';
import { noteFailure, noteInLogs, noteInTrace, traced, traceparent, withLogContext } from '@idsync/runtime';
import type { FannedOut } from '../fan-out.js';
import { attempts, breakerOpenings, deliveries, dueEndpoints, dueLag } from '../metrics.js';
import type { Sender, SendResult } from '../sending/send.js';
import { signedHeaders } from '../sign.js';
import { AttemptRecorder, type RecorderSettings } from './attempt-recorder.js';
import type { BreakerSettings } from './breaker.js';
import { Endpoint } from './endpoint.js';
import { bodyOf } from './render-again.js';
import { nextAttemptAt } from './retry-schedule.js';
import { shareSlots } from './share-slots.js';
import { type SlotSettings, Slots } from './slots.js';

export interface DeliverySettings extends RecorderSettings, SlotSettings {
  /** Deliveries that one claim takes, at the most. */
  claimBatch: number;
  leaseMs: number;
  /** What is left of a lease must be longer than an exchange takes. */
  exchangeMs: number;
  /** Between looks at everything that is due. */
  pollMs: number;
  /** Between claims: what becomes free in between is claimed together. */
  claimPauseMs: number;
  /** Until a delivery is tried again whose secrets could not be opened. */
  unsignedPauseMs: number;
  breaker: BreakerSettings;
  retryDelays: readonly number[];
}

export interface DeliveryContext {
  database: Database;
  sender: Sender;
  settings: DeliverySettings;
  /** The key in a sealed secret; undefined if that was sealed with a key that is not known here. */
  openKey: (sealed: Buffer, tenantId: string) => Buffer | undefined;
  log: { warn(message: string): void; info(message: string): void };
}

/** Every so many looks, also what may lie below the floors is looked for: leases of the dead, and what came late. */
const looksBetweenSweeps = 10;

/**
 * Claims what is due and sends it. Messages wake it for what was just announced; a look at all endpoints, every second, finds
 * retries and whatever no message told of. No transaction is open while anything is sent.
 */
export class DeliveryEngine {
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly recorder: AttemptRecorder;
  private readonly wakeUp = new WakeUp();
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private readonly slots: Slots;
  private looks = 0;
  private due = { lag: 0, healthy: 0, failing: 0 };
  private forget: (() => void)[] = [];
  private turn = 0;
  private running: Promise<void> | undefined;

  constructor(private readonly context: DeliveryContext) {
    this.recorder = new AttemptRecorder(context.database, context.settings, context.log);
    this.slots = new Slots(context.settings);
  }

  start(): void {
    this.running ??= this.run();
    this.forget = [
      dueLag.watch(() => [{ labels: {}, value: this.due.lag }]),
      dueEndpoints.watch(() =>
        (['healthy', 'failing'] as const).map((state) => ({ labels: { state }, value: this.due[state] })),
      ),
    ];
  }

  /** How long a delivery has been due that could have been sent, at the last look. */
  get lagSeconds(): number {
    return this.due.lag;
  }

  /** These deliveries were just committed. */
  wake(found: FannedOut): void {
    for (const [webhookId, { tenantId, sequence }] of found) this.endpoint(webhookId, tenantId).wake(sequence);
    if (found.size > 0) this.wakeUp.call();
  }

  /** Claims nothing more, lets what is under way end, and writes down how. Throws if that could not be written. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.call();
    for (const each of this.forget) each();
    await this.running;
    await Promise.all(this.underWay);
    await this.recorder.stop();
  }

  private async run(): Promise<void> {
    const { settings, log } = this.context;
    const { signal } = this.stopping;
    let lookAt = 0;
    while (!signal.aborted) {
      try {
        if (performance.now() >= lookAt) {
          const began = performance.now();
          await this.look();
          // With very many endpoints, looking takes a twentieth of the time and no more.
          lookAt = performance.now() + Math.max(settings.pollMs, 20 * (performance.now() - began));
        }
        if ((await this.claim()) > 0) await pause(settings.claimPauseMs, signal);
        else await this.wakeUp.wait(Math.max(lookAt - performance.now(), 1));
      } catch (error) {
        log.warn(`no look for deliveries: ${String(error)}`);
        await pause(settings.retryMs, signal);
      }
    }
  }

  private async look(): Promise<void> {
    const { due, changed } = await this.context.database.transaction(undefined, async (tx) => ({
      changed: await forgetChangedEndpoints(tx),
      due: await findDueEndpoints(tx),
    }));
    const healthy = due.filter(({ failures }) => failures === 0);
    const lag = healthy.reduce((longest, { seconds }) => Math.max(longest, seconds), 0);
    this.due = { lag, healthy: healthy.length, failing: due.length - healthy.length };
    for (const webhookId of changed) this.endpoints.get(webhookId)?.forget();
    const now = Date.now();
    for (const [webhookId, endpoint] of this.endpoints) if (endpoint.isIdle(now)) this.endpoints.delete(webhookId);
    for (const each of due) this.endpoint(each.webhookId, each.tenantId).found(each);
    this.looks += 1;
    if (this.looks % looksBetweenSweeps === 0) for (const endpoint of this.endpoints.values()) endpoint.floor = 0;
  }

  /** Returns how many deliveries it began. */
  private async claim(): Promise<number> {
    const { database, settings } = this.context;
    const room = this.slots.room(performance.now());
    const requests = shareSlots(this.waiting(), { ...room, total: Math.min(room.total, settings.claimBatch) });
    if (requests.length === 0) return 0;
    const calls = new Map(requests.map(({ webhookId }) => [webhookId, this.endpoints.get(webhookId)?.calls]));
    const leaseEnds = performance.now() + settings.leaseMs;
    const { claimed, receivers } = await database.transaction(undefined, async (tx) => {
      const claimed = await claimDeliveries(tx, requests, settings.leaseMs);
      const receivers =
        claimed.length === 0 ? [] : await findReceivers(tx, [...new Set(claimed.map((d) => d.webhookId))]);
      return { claimed, receivers: new Map(receivers.map((receiver) => [receiver.webhookId, receiver])) };
    });
    for (const { webhookId, firstRoom, retryRoom } of requests) {
      const endpoint = this.endpoints.get(webhookId);
      const own = claimed.filter((delivery) => delivery.webhookId === webhookId);
      const firsts = own.filter(({ isRetry }) => !isRetry);
      if (!endpoint) continue;
      if (endpoint.calls === calls.get(webhookId)) {
        const last = firsts.at(-1);
        if (last) endpoint.floor = Math.max(endpoint.floor, last.sequence);
        if (firstRoom > 0 && firsts.length < firstRoom) endpoint.hasFirst = false;
        if (retryRoom > 0 && own.length - firsts.length < retryRoom) endpoint.hasRetry = false;
      }
    }
    for (const delivery of claimed) this.begin(delivery, receivers.get(delivery.webhookId), leaseEnds);
    return claimed.length;
  }

  private waiting() {
    const now = Date.now();
    const all = [...this.endpoints.values()].flatMap((endpoint) => endpoint.waiting(now) ?? []);
    // Where there are more endpoints than slots, each is the first in its turn.
    this.turn = all.length === 0 ? 0 : (this.turn + 1) % all.length;
    return [...all.slice(this.turn), ...all.slice(0, this.turn)];
  }

  private begin(delivery: ClaimedDelivery, receiver: Receiver | undefined, leaseEnds: number): void {
    const { webhookId, tenantId, isRetry } = delivery;
    const endpoint = this.endpoint(webhookId, tenantId);
    const slot = this.slots.take(endpoint, isRetry, performance.now());
    const told = { delivery_id: delivery.id, tenant_id: tenantId };
    const ended = withLogContext(told, () => this.attempt(delivery, receiver, endpoint, leaseEnds)).finally(() => {
      this.slots.free(slot);
      this.underWay.delete(ended);
      if (endpoint.hasFirst || endpoint.hasRetry) this.wakeUp.call();
    });
    this.underWay.add(ended);
  }

  private async attempt(...delivery: Parameters<DeliveryEngine['deliver']>): Promise<void> {
    try {
      await this.deliver(...delivery);
    } catch (error) {
      this.context.log.warn(`delivery not attempted: ${String(error)}`);
    }
  }

  private async deliver(
    delivery: ClaimedDelivery,
    receiver: Receiver | undefined,
    endpoint: Endpoint,
    leaseEnds: number,
  ): Promise<void> {
    const { database, sender, settings, openKey } = this.context;
    // Deleted in between; its deliveries go with time.
    if (!receiver) return;
    const { eventId, body } = await bodyOf(database, delivery);
    noteInLogs({ event_id: eventId });
    const keys = receiver.secrets.flatMap((sealed) => openKey(sealed, delivery.tenantId) ?? []);
    // A process that was stopped for long holds no lease any more: another one sends it.
    if (performance.now() + settings.exchangeMs > leaseEnds) return;
    if (keys.length === 0) {
      this.recordUnsigned(delivery, endpoint);
      return;
    }
    const id = encodeId('event', eventId);
    const attributes = {
      'http.request.method': 'POST',
      'server.address': new URL(receiver.callbackUrl).hostname,
      'idsync.event_id': id,
      'idsync.delivery_id': encodeId('delivery', delivery.id),
      'idsync.attempt': delivery.number,
    };
    await traced('POST webhook', { kind: 'client', parent: delivery.traceparent, attributes }, async () => {
      const timestamp = Math.floor(Date.now() / 1_000);
      const parent = traceparent();
      const headers = { ...signedHeaders({ id, timestamp, body }, keys), ...(parent && { traceparent: parent }) };
      const result = await sender.send({ url: receiver.callbackUrl, headers, body });
      const { outcome, statusCode } = result;
      noteInTrace({ 'idsync.outcome': outcome, 'http.response.status_code': statusCode });
      if (outcome !== 'delivered') noteFailure(outcome === 'rejected' ? `${statusCode}` : outcome);
      this.record(delivery, endpoint, result);
    });
  }

  /** Not the receiver's failure: it spends no step of the schedule, and the endpoint waits for whoever has the keys. */
  private recordUnsigned(delivery: ClaimedDelivery, endpoint: Endpoint): void {
    const now = Date.now();
    const { unsignedPauseMs } = this.context.settings;
    endpoint.park(now, unsignedPauseMs);
    const { id: deliveryId, webhookId, tenantId, number } = delivery;
    attempts.observe({ outcome: 'unsigned' }, 0);
    this.recorder.add({
      outcome: 'unsigned',
      error: 'no signing secret opens with the keys there are',
      durationMs: 0,
      deliveryId,
      webhookId,
      tenantId,
      number,
      endedAt: new Date(now),
      status: 'pending',
      dueAt: new Date(now + unsignedPauseMs),
      counts: false,
      succeeded: false,
      gone: false,
      openUntil: endpoint.openUntil,
      trips: endpoint.trips,
    });
  }

  private record(delivery: ClaimedDelivery, endpoint: Endpoint, result: SendResult): void {
    const now = Date.now();
    const { outcome, statusCode, error, responseBody, durationMs, retryAfterMs } = result;
    const succeeded = outcome === 'delivered';
    const failed = delivery.attempts + 1;
    const dueAt = succeeded
      ? undefined
      : nextAttemptAt(failed, now, { retryAfterMs, random: Math.random(), delays: this.context.settings.retryDelays });
    const { trips } = endpoint;
    if (succeeded) endpoint.succeeded(durationMs);
    else endpoint.failed(durationMs, now, retryAfterMs);
    const status = succeeded ? 'delivered' : dueAt ? 'pending' : 'dead';
    attempts.observe({ outcome }, durationMs / 1_000);
    deliveries.add({ status });
    if (endpoint.trips > trips) breakerOpenings.add({});
    this.recorder.add({
      outcome,
      statusCode,
      error,
      responseBody,
      durationMs,
      deliveryId: delivery.id,
      webhookId: delivery.webhookId,
      tenantId: delivery.tenantId,
      number: delivery.number,
      endedAt: new Date(now),
      status,
      dueAt,
      counts: true,
      succeeded,
      gone: statusCode === 410,
      openUntil: endpoint.openUntil,
      trips: endpoint.trips,
    });
  }

  private endpoint(webhookId: string, tenantId: string): Endpoint {
    const known = this.endpoints.get(webhookId);
    if (known) return known;
    const endpoint = new Endpoint(webhookId, tenantId, this.context.settings.breaker);
    this.endpoints.set(webhookId, endpoint);
    return endpoint;
  }
}
