import type { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';

/** Lets one trial of a process run at a time. The others come again after it, and leave the queue to short operations. */
export class Trials {
  private isRunning = false;
  /** Tenants by operation. After a kill, the clock publishes these operations again. */
  private readonly postponed = new Map<string, string>();

  /** Runs the trial of an operation, unless another one is running. */
  async run<Result>(
    database: Database,
    { tenantId, id }: { tenantId: string; id: string },
    work: () => Promise<Result>,
  ): Promise<Result | 'elsewhere'> {
    if (this.isRunning) {
      this.postponed.set(id, tenantId);
      return 'elsewhere';
    }
    this.isRunning = true;
    try {
      return await work();
    } finally {
      this.isRunning = false;
      await this.publishPostponed(database);
    }
  }

  private async publishPostponed(database: Database): Promise<void> {
    for (const [id, tenantId] of this.postponed) {
      const data = { operation_id: id };
      await database.transaction(tenantId, (tx) =>
        enqueue(tx, { type: 'directory.operation.requested', tenantId, data }),
      );
      this.postponed.delete(id);
    }
  }
}
