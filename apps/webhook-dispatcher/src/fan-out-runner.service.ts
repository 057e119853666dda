import { Database } from '@idsync/database';
import { findTenantsBehind } from '@idsync/database/delivery';
import { Bus, WakeUp } from '@idsync/messaging';
import { BackgroundService, Logger, traced, withLogContext } from '@idsync/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DeliveryEngine } from './delivery/delivery-engine.service.js';
import { fanOutPart } from './fan-out.js';

/** Tenants fanned out concurrently; each takes a connection. */
const atOnce = 3;
const pollMs = 2_000;
const tenantsPerPoll = 1_000;

/**
 * Fans out new events, one chunk at a time per tenant, so that notifications in quick succession are handled together.
 * A notification only wakes it; a poll of all tenants finds events whose notification was lost or whose process died.
 */
@Injectable()
export class FanOutRunner extends BackgroundService {
  private readonly waiting = new Set<string>();
  private readonly running = new Map<string, Promise<void>>();
  /** Highest sequence known to be fanned out, by tenant: notifications often arrive after their events were handled. */
  private readonly reached = new Map<string, number>();
  private readonly stopping = new AbortController();
  private readonly pollNow = new WakeUp();
  private unlisten: (() => Promise<void>) | undefined;
  private polling: Promise<void> | undefined;

  /** The engine sends the deliveries of each committed chunk. */
  constructor(
    private readonly database: Database,
    @Inject(DeliveryEngine) private readonly engine: Pick<DeliveryEngine, 'sendNew'>,
    @Inject(Bus) private readonly bus: Pick<Bus, 'listenToEvents'>,
    private readonly log: Logger,
  ) {
    super();
  }

  start(): void {
    this.unlisten ??= this.bus.listenToEvents(
      (tenantId, last) => this.wake(tenantId, last),
      () => this.pollNow.call(),
    );
    this.polling ??= this.pollContinuously();
  }

  /** `last`: the highest committed sequence. */
  wake(tenantId: string, last: number): void {
    if (last <= (this.reached.get(tenantId) ?? 0)) return;
    this.waiting.add(tenantId);
    this.next();
  }

  /** Starts no further chunk and waits for those in progress. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.clear();
    this.pollNow.call();
    await this.unlisten?.();
    await Promise.all([this.polling, ...this.running.values()]);
  }

  private next(): void {
    if (this.stopping.signal.aborted) return;
    for (const tenantId of this.waiting) {
      if (this.running.size >= atOnce) return;
      if (this.running.has(tenantId)) continue;
      this.waiting.delete(tenantId);
      // The caller's log context may name another tenant.
      const logFields = { tenant_id: tenantId, message_id: undefined };
      this.running.set(
        tenantId,
        withLogContext(logFields, () => this.run(tenantId)),
      );
    }
  }

  private async run(tenantId: string): Promise<void> {
    try {
      const { reached, more } = await traced('fan out events', { parent: null }, () =>
        this.engine.sendNew((claimNew) => fanOutPart(this.database, tenantId, claimNew)),
      );
      this.reached.set(tenantId, Math.max(reached, this.reached.get(tenantId) ?? 0));
      // Queued behind the other waiting tenants.
      if (more) this.waiting.add(tenantId);
    } catch (err) {
      // The next poll finds the tenant again; a failure of one tenant does not stop the others.
      this.log.warn({ err, tenant_id: tenantId }, 'fanning out events failed');
    } finally {
      this.running.delete(tenantId);
      this.next();
    }
  }

  private async pollContinuously(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        const behind = await this.database.acrossTenants((tx) => findTenantsBehind(tx, tenantsPerPoll));
        for (const { tenantId, last } of behind) this.wake(tenantId, last);
      } catch (err) {
        this.log.warn({ err }, 'polling for events failed');
      }
      // With very many tenants, polling takes at most a twentieth of the time.
      await this.pollNow.wait(Math.max(pollMs, 20 * (performance.now() - began)));
    }
  }
}
