import type { Transaction } from '@idsync/database';
import { addDeliveryAttempts, type ClaimRequest, lockDeliveryHour } from '@idsync/database/delivery';
import { AttemptBlocks, blockOf } from './attempt-blocks.js';
import { changedQuotas, withinRoom } from './quota-room.js';

/** Limits on attempts an hour, by tenant. */
export class DeliveryQuotas {
  private limits: ReadonlyMap<string, number> = new Map();
  private readonly blocks = new AttemptBlocks();

  has(tenantId: string): boolean {
    return this.limits.has(tenantId);
  }

  /** Returns the tenants whose limits differ from those before. */
  replace(limits: ReadonlyMap<string, number>): ReadonlySet<string> {
    const changed = new Set(changedQuotas(this.limits, limits));
    this.limits = limits;
    for (const tenantId of changed) this.blocks.forget(tenantId);
    return changed;
  }

  /** Reduces the requests to the attempts that the tenant has left in this hour. `use` counts those that were claimed. */
  async limit(
    tx: Transaction,
    tenantId: string,
    wanted: readonly ClaimRequest[],
    now: number,
  ): Promise<{ requests: readonly ClaimRequest[]; use: (claimed: number) => Promise<void> }> {
    const limit = this.limits.get(tenantId);
    if (limit === undefined) return { requests: wanted, use: async () => undefined };
    const kept = this.blocks.left(tenantId, now);
    const most = wanted.reduce((sum, { firstLimit, retryLimit }) => sum + firstLimit + retryLimit, 0);
    const hour = kept >= most ? undefined : await lockDeliveryHour(tx, tenantId);
    const remaining = hour ? Math.max(limit - hour.attempts, 0) : 0;
    const use = async (claimed: number) => {
      const beyond = claimed - kept;
      if (!hour || beyond <= 0) return tx.afterCommit(() => this.blocks.use(tenantId, claimed));
      const block = blockOf(remaining - beyond);
      await addDeliveryAttempts(tx, tenantId, beyond + block);
      tx.afterCommit(() => this.blocks.keep(tenantId, block, hour.ends));
    };
    return { requests: withinRoom(wanted, kept + remaining), use };
  }
}
