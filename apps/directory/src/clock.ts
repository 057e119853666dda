import { type Database, findTenantIds } from '@idsync/database';
import { pause } from '@idsync/messaging';
import { applyDue } from './apply-due.js';
import { announceAgain } from './operations/announce-again.js';
import { proposeMatches } from './propose-matches.js';

/** Between two looks; what is due is due by the day, so nobody waits for it. */
const everyMs = 30_000;

interface ClockLogger {
  warn(message: string): void;
  info(message: string): void;
}

/** Looks for what time alone changes, and for what was asked for and not heard. Every replica has one: what another is at is passed over. */
export class Clock {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: ClockLogger,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look();
      await pause(everyMs, signal);
    }
  }

  private async look(): Promise<void> {
    try {
      const tenants = await this.database.transaction(undefined, findTenantIds);
      for (const tenantId of tenants) {
        if (this.stopping.signal.aborted) return;
        await this.lookAt(tenantId);
      }
    } catch (error) {
      this.log.warn(`what is due was not looked at: ${String(error)}`);
    }
  }

  /** What cannot be done for one tenant keeps no other waiting. */
  private async lookAt(tenantId: string): Promise<void> {
    try {
      await announceAgain(this.database, tenantId);
      const done = await applyDue(this.database, tenantId);
      if (done > 0) this.log.info(`${done} records of tenant ${tenantId} changed by the clock`);
      // What was left while a list was half read, if that job waits for an operator and no end announces itself.
      await proposeMatches(this.database, { tenant_id: tenantId });
    } catch (error) {
      this.log.warn(`what is due for tenant ${tenantId} was put off: ${String(error)}`);
    }
  }
}
