import { Database } from '@idsync/database';
import { deleteTenantPart, findTenantDeletions } from '@idsync/database/directory';
import { BackgroundService, Logger, pause } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';

const intervalMs = 5_000;
/** Longer than any statement or idle transaction may last, so that none adds rows after the last look. */
const settleMs = 10 * 60_000;

/**
 * Deletes the rows of tenants whose deletion was requested, a part in each transaction. A part is committed with the
 * progress, so another process continues after a crash; a tenant that another process works on is skipped.
 */
@Injectable()
export class TenantDeletions extends BackgroundService {
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
      try {
        for (const tenantId of await this.database.acrossTenants(findTenantDeletions)) await this.work(tenantId);
      } catch (err) {
        this.log.warn({ err }, 'deleting tenants failed, will retry');
      }
      await pause(intervalMs, signal);
    }
  }

  private async work(tenantId: string): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const step = await this.database.transaction(tenantId, (tx) => deleteTenantPart(tx, tenantId, settleMs));
      if (step?.state === 'done') this.log.info({ tenant_id: tenantId, rows: step.deleted }, 'tenant deleted');
      if (step?.state !== 'more') return;
    }
  }
}
