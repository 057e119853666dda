import { type Database, findTenantsBehind } from '@idsync/database';
import { pause } from '@idsync/messaging';
import { traced, withLogContext } from '@idsync/runtime';
import { type FannedOut, fanOutPart } from './fan-out.js';

export interface FanOutContext {
  database: Database;
  /** Told of the deliveries of each part when it is committed. */
  made: (found: FannedOut) => void;
  log: { warn(message: string): void };
}

/** Tenants that are fanned out at the same time: each takes a connection. */
const atOnce = 3;
const lookMs = 2_000;
const tenantsOfALook = 1_000;

/**
 * Fans events out as they are announced: those of one tenant one part after another, so that what comes in a hurry is
 * worked off together, and tenants in turn. An announcement only wakes it; where one was lost, or a process died, a look at all
 * tenants finds what is behind.
 */
export class FanOutRunner {
  private readonly waiting = new Set<string>();
  private readonly running = new Map<string, Promise<void>>();
  /** What is known to be fanned out: the announcements of a part mostly come after it. */
  private readonly reached = new Map<string, number>();
  private readonly stopping = new AbortController();
  private looking: Promise<void> | undefined;

  constructor(private readonly context: FanOutContext) {}

  start(): void {
    this.looking ??= this.lookAgainAndAgain();
  }

  /** Events up to `last` are committed. */
  wake(tenantId: string, last: number): void {
    if (last <= (this.reached.get(tenantId) ?? 0)) return;
    this.waiting.add(tenantId);
    this.next();
  }

  /** Begins nothing more, and waits for the parts under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.clear();
    await Promise.all([this.looking, ...this.running.values()]);
  }

  private next(): void {
    if (this.stopping.signal.aborted) return;
    for (const tenantId of this.waiting) {
      if (this.running.size >= atOnce) return;
      if (this.running.has(tenantId)) continue;
      this.waiting.delete(tenantId);
      // Whoever woke it may have announced events of another tenant.
      const told = { tenant_id: tenantId, message_id: undefined };
      this.running.set(
        tenantId,
        withLogContext(told, () => this.run(tenantId)),
      );
    }
  }

  private async run(tenantId: string): Promise<void> {
    const { database, made, log } = this.context;
    try {
      const { found, reached, more } = await traced('fan out events', { parent: null }, () =>
        fanOutPart(database, tenantId),
      );
      this.reached.set(tenantId, reached);
      if (found.size > 0) made(found);
      // Behind the others that wait.
      if (more) this.waiting.add(tenantId);
    } catch (error) {
      // The next look finds it again, and what fails for one tenant stops no other.
      log.warn(`events of tenant ${tenantId} not fanned out yet: ${String(error)}`);
    } finally {
      this.running.delete(tenantId);
      this.next();
    }
  }

  private async lookAgainAndAgain(): Promise<void> {
    const { database, log } = this.context;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        const behind = await database.transaction(undefined, (tx) => findTenantsBehind(tx, tenantsOfALook));
        for (const { tenantId, last } of behind) this.wake(tenantId, last);
      } catch (error) {
        log.warn(`no look for events: ${String(error)}`);
      }
      // With very many tenants, looking takes a twentieth of the time and no more.
      await pause(Math.max(lookMs, 20 * (performance.now() - began)), signal);
    }
  }
}
