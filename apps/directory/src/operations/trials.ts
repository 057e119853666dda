import type { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';

/** Lets one operation of a process make its trials at a time. The others come again, and leave the queue to short ones. */
export class Trials {
  private isTaken = false;
  /** Tenants by operation. After a kill, the clock publishes these operations again. */
  private readonly postponed = new Map<string, string>();

  /**
   * Runs all attempts of an operation. `take` returns whether it can make trials now; it then can until its last attempt,
   * because an operation that lost its turn would count its attempts again.
   */
  async run<Result>(
    database: Database,
    { tenantId, id }: { tenantId: string; id: string },
    attempts: (take: () => boolean) => Promise<Result>,
  ): Promise<Result> {
    let isOwn = false;
    const take = () => {
      if (isOwn) return true;
      if (this.isTaken) {
        this.postponed.set(id, tenantId);
        return false;
      }
      this.isTaken = true;
      isOwn = true;
      return true;
    };
    try {
      return await attempts(take);
    } finally {
      if (isOwn) {
        this.isTaken = false;
        await this.publishPostponed(database);
      }
    }
  }

  private async publishPostponed(database: Database): Promise<void> {
    for (const [id, tenantId] of this.postponed) {
      this.postponed.delete(id);
      const data = { operation_id: id };
      const published = database.transaction(tenantId, (tx) =>
        enqueue(tx, { type: 'directory.operation.requested', tenantId, data }),
      );
      // The clock publishes it again, and the operation that has ended must not fail by another one.
      await published.catch(() => undefined);
    }
  }
}
