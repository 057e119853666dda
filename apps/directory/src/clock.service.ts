import { Database } from '@idsync/database';
import { findTenantIds } from '@idsync/database/directory';
import { BackgroundService, Logger, pause } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { applyDue } from './apply-due.js';
import { evaluateFindings } from './findings/evaluate-findings.js';
import { republishOperations } from './operations/republish-operations.js';
import { proposeMatches } from './propose-matches.js';
import { rerenderDocuments } from './rerender-documents.js';

/** Interval between runs. Due times have a resolution of a day, so the delay does not matter. */
const intervalMs = 30_000;
/** Milliseconds of each run for rendering documents of another version again and for evaluating findings. */
const boundedMs = 5_000;

/**
 * Applies time-based changes and republishes lost operations. Runs in every replica; rows that another replica has
 * locked are skipped.
 */
@Injectable()
export class Clock extends BackgroundService {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
  ) {
    super();
  }

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
      await this.runOnce();
      await pause(intervalMs, signal);
    }
  }

  private async runOnce(): Promise<void> {
    try {
      const until = new Date(Date.now() + boundedMs);
      const tenants = await this.database.acrossTenants(findTenantIds);
      for (const tenantId of tenants) {
        if (this.stopping.signal.aborted) return;
        await this.runTenant(tenantId, until);
      }
    } catch (err) {
      this.log.warn({ err }, 'searching for tenants with due work failed');
    }
  }

  /** Catches errors, so that a failing tenant does not delay the others. */
  private async runTenant(tenantId: string, until: Date): Promise<void> {
    try {
      await republishOperations(this.database, tenantId);
      const done = await applyDue(this.database, tenantId);
      if (done > 0) this.log.info({ tenant_id: tenantId, records: done }, 'applied time-based changes');
      // A quarantined job postpones matching and sends no end message, so the queue is also processed here.
      await proposeMatches(this.database, { tenant_id: tenantId });
      const rendered = await rerenderDocuments(this.database, tenantId, { until });
      if (rendered > 0) this.log.info({ tenant_id: tenantId, records: rendered }, 'documents rendered again');
      await evaluateFindings(this.database, tenantId, { until });
    } catch (err) {
      this.log.warn({ err, tenant_id: tenantId }, 'due work of a tenant failed');
    }
  }
}
