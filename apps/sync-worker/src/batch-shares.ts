import { queues } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { countProcesses } from '@idsync/database/bus';
import { countApplyingJobs } from '@idsync/database/sync';

/** The processes and jobs that share the queue of batches. */
export interface Demand {
  /** Processes of the directory. */
  processes: number;
  /** Jobs with unapplied batches, by tenant. */
  jobs: ReadonlyMap<string, number>;
}

/** Milliseconds after which the demand is read again. */
const validMs = 1_000;

/**
 * Limits how many batches of a job are in the queue, which has no order of tenants: those of a large job would delay all
 * others. The other batches wait in the database.
 */
export class BatchShares {
  private demand: Promise<Demand> | undefined;
  private readAt = 0;

  constructor(private readonly database: Database) {}

  /** Returns how many batches of one job of the tenant may be announced and unapplied. */
  async of(tenantId: string): Promise<number> {
    const now = performance.now();
    if (this.demand === undefined || now - this.readAt > validMs) {
      this.readAt = now;
      this.demand = this.read();
      this.demand.catch(() => {
        this.demand = undefined;
      });
    }
    return shareOf(tenantId, await this.demand);
  }

  private async read(): Promise<Demand> {
    const [processes, jobs] = await Promise.all([
      countProcesses(this.database, 'directory'),
      countApplyingJobs(this.database),
    ]);
    return { processes, jobs };
  }
}

/**
 * Divides as many batches as the directory applies at once, and one that waits, so that it never waits for the next:
 * between the tenants, and between the jobs of each. Each job has at least one, so that it proceeds. Pure.
 */
export function shareOf(tenantId: string, { processes, jobs }: Demand): number {
  const all = Math.max(1, processes) * queues['directory.batches'].prefetch + 1;
  const tenants = new Set([tenantId, ...jobs.keys()]).size;
  return Math.ceil(all / tenants / (jobs.get(tenantId) ?? 1));
}
