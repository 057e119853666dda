import { Database } from '@idsync/database';
import { type DueTenant, findDueTenants } from '@idsync/database/directory';
import { BackgroundService, Logger, pause } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { watchFindings } from '../shared/metrics.js';
import { doDueWork } from './due-work.js';

/** Interval between runs, if a run has done all. Due times have a resolution of a day, so the delay does not matter. */
const intervalMs = 30_000;
/** Milliseconds until the next run otherwise. */
const moreMs = 1_000;
/** Milliseconds of each run for work that can continue in the next: findings, fuzzy matching, rows of older versions. */
const boundedMs = 5_000;

/**
 * Applies time-based changes and republishes lost operations, of the tenants that have some, and measures the open
 * findings. Runs in every replica; rows that another replica has locked are skipped.
 */
@Injectable()
export class Clock extends BackgroundService {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private removeGauge: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
  ) {
    super();
  }

  start(): void {
    this.removeGauge ??= watchFindings(this.database);
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.removeGauge?.();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const hasDoneAll = await this.runOnce();
      await pause(hasDoneAll ? intervalMs : moreMs, signal);
    }
  }

  /** Returns false if its time was too short for all work. */
  private async runOnce(): Promise<boolean> {
    try {
      const until = new Date(Date.now() + boundedMs);
      for (const tenant of await this.database.acrossTenants(findDueTenants)) {
        if (this.stopping.signal.aborted) return true;
        await this.workFor(tenant, until);
      }
      return Date.now() < until.getTime();
    } catch (err) {
      this.log.warn({ err }, 'searching for tenants with due work failed');
      return true;
    }
  }

  /** Catches errors, so that a failing tenant does not delay the others. */
  private async workFor(tenant: DueTenant, until: Date): Promise<void> {
    try {
      await doDueWork(this.database, this.log, tenant, until);
    } catch (err) {
      this.log.warn({ err, tenant_id: tenant.id }, 'due work of a tenant failed');
    }
  }
}
