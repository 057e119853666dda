import { eachTenant, type Transaction } from '@idsync/database';
import {
  type ClaimedDelivery,
  type ClaimRequest,
  claimDeliveries,
  databaseTime,
  type FinishedAttempt,
  findDueEndpoints,
  findReceivers,
  type Receiver,
  resetChangedEndpoints,
  takeProbes,
} from '@idsync/database/delivery';
import { WakeUp } from '@idsync/messaging';
import { BackgroundService, pause, withLogContext } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import type { ClaimNew, FannedOut } from '../fan-out.js';
import { attempts, breakerOpenings, deliveries, dueEndpoints, dueLag } from '../metrics.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { DatabaseClock } from './database-clock.js';
import { DeliveryContext } from './delivery-context.js';
import { Endpoint } from './endpoint.js';
import { nextAttemptAt } from './retry-schedule.js';
import { type SentDelivery, sendDelivery } from './send-delivery.js';
import { shareSlots, type Waiting } from './share-slots.js';
import { Slots } from './slots.js';

/** Tenants whose deliveries are claimed concurrently; each takes a connection. */
const tenantsAtOnce = 3;
/** After this many polls, the floors are reset to find expired leases and late commits below them. */
const pollsBetweenSweeps = 10;

/**
 * Claims due deliveries and sends them. Messages wake it for new deliveries; a poll of all endpoints every second finds
 * retries and deliveries whose message was lost. No transaction is open during an exchange.
 */
@Injectable()
export class DeliveryEngine extends BackgroundService {
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly recorder: AttemptRecorder;
  private readonly wakeUp = new WakeUp();
  private readonly stopping = new AbortController();
  private readonly inFlight = new Set<Promise<void>>();
  private readonly slots: Slots;
  private readonly clock = new DatabaseClock();
  private polls = 0;
  private due = { lag: 0, healthy: 0, failing: 0 };
  private unwatch: (() => void)[] = [];
  /** Position of the endpoint that comes first in the next claim. */
  private first = 0;
  /** Pending while a claim fills the free slots; only one does at a time. */
  private claiming: Promise<void> | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly context: DeliveryContext) {
    super();
    this.recorder = new AttemptRecorder(context.database, context.settings, context.log);
    this.slots = new Slots(context.settings);
  }

  start(): void {
    this.running ??= this.run();
    this.unwatch = [
      dueLag.watch(() => [{ labels: {}, value: this.due.lag }]),
      dueEndpoints.watch(() =>
        (['healthy', 'failing'] as const).map((state) => ({ labels: { state }, value: this.due[state] })),
      ),
    ];
  }

  /** Age of the oldest delivery to a healthy endpoint that was due at the last poll. */
  get lagSeconds(): number {
    return this.due.lag;
  }

  /** Wakes the engine for deliveries that were just committed. */
  wake(found: FannedOut): void {
    this.wakeEndpoints(found);
    if (found.size > 0) this.wakeUp.call();
  }

  /**
   * Runs the fan-out of a tenant. It gets a function that claims what it has just inserted in the same transaction, which
   * saves the wake-up and a transaction for each event that comes alone.
   */
  async sendNew<T extends { found: FannedOut }>(fanOut: (claimNew: ClaimNew) => Promise<T>): Promise<T> {
    let endTurn: (() => void) | undefined;
    let isSent = false;
    const claimNew: ClaimNew = async (tx, found) => {
      const shares = this.sharesOfNew(found);
      if (shares.length === 0) return;
      endTurn = this.beginTurn();
      await this.claimIn(tx, shares);
      tx.afterCommit(() => {
        isSent = true;
      });
    };
    try {
      const result = await fanOut(claimNew);
      if (!isSent) this.wake(result.found);
      return result;
    } finally {
      endTurn?.();
    }
  }

  /**
   * Stops claiming, waits for attempts in flight, and writes their results. Throws if a result could not be written.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.call();
    for (const each of this.unwatch) each();
    await this.running;
    await this.claiming;
    await Promise.all(this.inFlight);
    await this.recorder.stop();
  }

  private async run(): Promise<void> {
    const { settings, log } = this.context;
    const { signal } = this.stopping;
    let nextPollAt = 0;
    while (!signal.aborted) {
      try {
        if (performance.now() >= nextPollAt) {
          const began = performance.now();
          await this.poll();
          // With very many endpoints, polling takes at most a twentieth of the time.
          nextPollAt = performance.now() + Math.max(settings.pollMs, 20 * (performance.now() - began));
        }
        if ((await this.claim()) > 0) await pause(settings.claimPauseMs, signal);
        else await this.wakeUp.wait(Math.max(nextPollAt - performance.now(), 1));
      } catch (err) {
        log.warn({ err }, 'polling for deliveries failed');
        await pause(settings.retryMs, signal);
      }
    }
  }

  private async poll(): Promise<void> {
    const { database } = this.context;
    const changed = await resetChangedEndpoints(database);
    const [due, time] = await database.acrossTenants((tx) => Promise.all([findDueEndpoints(tx), databaseTime(tx)]));
    this.clock.set(time);
    const healthy = due.filter(({ failures }) => failures === 0);
    const lag = healthy.reduce((longest, { seconds }) => Math.max(longest, seconds), 0);
    this.due = { lag, healthy: healthy.length, failing: due.length - healthy.length };
    for (const webhookId of changed) this.endpoints.get(webhookId)?.reset();
    const now = this.clock.now();
    for (const [webhookId, endpoint] of this.endpoints) if (endpoint.isIdle(now)) this.endpoints.delete(webhookId);
    for (const each of due) this.endpoint(each.webhookId, each.tenantId).found(each, now);
    this.polls += 1;
    if (this.polls % pollsBetweenSweeps === 0) for (const endpoint of this.endpoints.values()) endpoint.floor = 0;
  }

  /** Returns the number of attempts started. */
  private async claim(): Promise<number> {
    while (this.claiming !== undefined) await this.claiming;
    const endTurn = this.beginTurn();
    try {
      return await this.claimDue();
    } finally {
      endTurn();
    }
  }

  private wakeEndpoints(found: FannedOut): void {
    for (const [webhookId, { tenantId, sequence }] of found) this.endpoint(webhookId, tenantId).wake(sequence);
  }

  private beginTurn(): () => void {
    let end = () => {};
    this.claiming = new Promise((resolve) => {
      end = resolve;
    });
    return () => {
      this.claiming = undefined;
      end();
    };
  }

  /** Returns no shares if what is new must wait: for other claims, or for endpoints that have waited longer. */
  private sharesOfNew(found: FannedOut): ClaimRequest[] {
    if (this.claiming !== undefined || this.stopping.signal.aborted) return [];
    this.wakeEndpoints(found);
    const waiting = this.waiting();
    if (waiting.some(({ webhookId }) => !found.has(webhookId))) return [];
    return this.shares(waiting);
  }

  private shares(waiting: readonly Waiting[]): ClaimRequest[] {
    const room = this.slots.room(performance.now());
    return shareSlots(waiting, { ...room, total: Math.min(room.total, this.context.settings.claimBatch) });
  }

  private async claimDue(): Promise<number> {
    const requests = this.shares(this.waiting());
    let begun = 0;
    await eachTenant(
      requests,
      async (tenantId, own) => {
        begun += await this.context.database.transaction(tenantId, (tx) => this.claimIn(tx, own));
      },
      tenantsAtOnce,
    );
    return begun;
  }

  /** Claims deliveries and begins their attempts after the commit. Returns their number. */
  private async claimIn(tx: Transaction, shares: readonly ClaimRequest[]): Promise<number> {
    const { settings } = this.context;
    const calls = new Map(shares.map(({ webhookId }) => [webhookId, this.endpoints.get(webhookId)?.calls]));
    const leaseEnds = performance.now() + settings.leaseMs;
    const requests = await this.withOwnProbes(tx, shares);
    // Sent together: a claim rarely finds nothing.
    const [claimed, receivers] =
      requests.length === 0
        ? [[], []]
        : await Promise.all([
            claimDeliveries(tx, requests, settings.leaseMs),
            findReceivers(tx, [...new Set(requests.map(({ webhookId }) => webhookId))]),
          ]);
    const receiverOf = new Map(receivers.map((receiver) => [receiver.webhookId, receiver]));
    tx.afterCommit(() => {
      this.noteClaim(requests, claimed, calls);
      for (const delivery of claimed) this.begin(delivery, receiverOf.get(delivery.webhookId), leaseEnds);
    });
    return claimed.length;
  }

  /** `calls`: the wake-ups of each endpoint before the claim. */
  private noteClaim(
    requests: readonly ClaimRequest[],
    claimed: readonly ClaimedDelivery[],
    calls: ReadonlyMap<string, number | undefined>,
  ): void {
    for (const { webhookId, firstLimit, retryLimit } of requests) {
      const endpoint = this.endpoints.get(webhookId);
      if (!endpoint || endpoint.calls !== calls.get(webhookId)) continue;
      const own = claimed.filter((delivery) => delivery.webhookId === webhookId);
      const firsts = own.filter(({ isRetry }) => !isRetry);
      const last = firsts.at(-1);
      if (last) endpoint.floor = Math.max(endpoint.floor, last.sequence);
      if (firstLimit > 0 && firsts.length < firstLimit) endpoint.hasFirst = false;
      if (retryLimit > 0 && own.length - firsts.length < retryLimit) endpoint.hasRetry = false;
    }
  }

  /** Leaves out the endpoints whose requested probe another process makes. */
  private async withOwnProbes(tx: Transaction, shares: readonly ClaimRequest[]): Promise<readonly ClaimRequest[]> {
    const probed = shares.flatMap(({ webhookId }) => (this.endpoints.get(webhookId)?.isProbed ? webhookId : []));
    if (probed.length === 0) return shares;
    const own = new Set(await takeProbes(tx, probed));
    tx.afterCommit(() => {
      for (const webhookId of probed) this.endpoints.get(webhookId)?.probeTaken(own.has(webhookId));
    });
    return shares.filter(({ webhookId }) => !probed.includes(webhookId) || own.has(webhookId));
  }

  private waiting(): Waiting[] {
    const now = this.clock.now();
    const all = [...this.endpoints.values()].flatMap((endpoint) => endpoint.waiting(now) ?? []);
    // With more endpoints than slots, rotate which one comes first.
    this.first = all.length === 0 ? 0 : (this.first + 1) % all.length;
    return [...all.slice(this.first), ...all.slice(0, this.first)];
  }

  private begin(delivery: ClaimedDelivery, receiver: Receiver | undefined, leaseEnds: number): void {
    const { webhookId, tenantId, isRetry } = delivery;
    const endpoint = this.endpoint(webhookId, tenantId);
    const slot = this.slots.take(endpoint, isRetry, performance.now());
    const logFields = { delivery_id: delivery.id, tenant_id: tenantId };
    const ended = withLogContext(logFields, () => this.attempt(delivery, receiver, endpoint, leaseEnds)).finally(() => {
      this.slots.free(slot);
      this.inFlight.delete(ended);
      if (endpoint.hasFirst || endpoint.hasRetry) this.wakeUp.call();
    });
    this.inFlight.add(ended);
  }

  private async attempt(
    delivery: ClaimedDelivery,
    receiver: Receiver | undefined,
    endpoint: Endpoint,
    leaseEnds: number,
  ): Promise<void> {
    // The webhook was deleted meanwhile; housekeeping deletes its deliveries.
    if (!receiver) return;
    try {
      const sent = await sendDelivery(this.context, delivery, receiver, leaseEnds);
      if (sent === 'too late') return;
      if ('unsigned' in sent) this.recordUnsigned(delivery, endpoint, sent.unsigned);
      else this.record(delivery, endpoint, sent);
    } catch (err) {
      this.context.log.warn({ err }, 'attempting a delivery failed');
    }
  }

  /**
   * Does not count as a failed attempt of the receiver; pauses the endpoint until a configured key decrypts a secret.
   */
  private recordUnsigned(delivery: ClaimedDelivery, endpoint: Endpoint, error: string): void {
    const now = this.clock.now();
    const { unsignedPauseMs } = this.context.settings;
    endpoint.pauseFor(now, unsignedPauseMs);
    attempts.observe({ outcome: 'unsigned' }, 0);
    const dueAt = new Date(now + unsignedPauseMs);
    const attempt = { outcome: 'unsigned', error, durationMs: 0, status: 'pending', dueAt, counts: false } as const;
    this.save(delivery, endpoint, now, attempt);
  }

  private record(delivery: ClaimedDelivery, endpoint: Endpoint, { retryAfterMs, ...sent }: SentDelivery): void {
    const now = this.clock.now();
    const { outcome, durationMs } = sent;
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
    this.save(delivery, endpoint, now, { ...sent, status, dueAt, counts: true });
  }

  private save(
    { id: deliveryId, webhookId, tenantId, number }: ClaimedDelivery,
    { openUntil, trips }: Endpoint,
    now: number,
    attempt: Omit<FinishedAttempt, 'deliveryId' | 'number' | 'endedAt'>,
  ): void {
    const endedAt = new Date(now);
    this.recorder.add({ ...attempt, deliveryId, webhookId, tenantId, number, endedAt, openUntil, trips });
  }

  private endpoint(webhookId: string, tenantId: string): Endpoint {
    const known = this.endpoints.get(webhookId);
    if (known) return known;
    const endpoint = new Endpoint(webhookId, tenantId, this.context.settings.breaker);
    this.endpoints.set(webhookId, endpoint);
    return endpoint;
  }
}
