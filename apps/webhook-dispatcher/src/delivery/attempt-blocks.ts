/** Attempts that a process takes in advance at a time. */
const maxBlock = 1_000;

/**
 * Attempts of the present hour that this process has taken and not used, by tenant: counting each claim in the database
 * takes a tenth of the time of a delivery.
 */
export class AttemptBlocks {
  private readonly kept = new Map<string, { left: number; until: number }>();

  left(tenantId: string, now: number): number {
    const block = this.kept.get(tenantId);
    return block && now < block.until ? block.left : 0;
  }

  keep(tenantId: string, left: number, until: number): void {
    this.kept.set(tenantId, { left, until });
  }

  /** Uses some that are kept. */
  use(tenantId: string, count: number): void {
    const block = this.kept.get(tenantId);
    if (block) block.left -= count;
  }

  forget(tenantId: string): void {
    this.kept.delete(tenantId);
  }
}

/** Returns how many attempts to take in advance: one in a hundred, so that few remain with a process that stops. */
export function blockOf(remaining: number): number {
  return Math.min(maxBlock, Math.max(0, Math.floor(remaining / 100)));
}
