/**
 * Thrown by a change if another one got its proposed time, or a later one, while it was written, or has decided otherwise
 * about a group.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** How long batches of a tenant lock the sequence first after the time of one of them was refused. */
const lockFirstMs = 10_000;

/**
 * Decides which batches are written with a proposed time. A batch whose time is refused is written twice, so batches of
 * its tenant lock the sequence first for ten seconds. Otherwise many small changes beside an import might refuse many.
 */
export class ProposedTimes {
  private readonly lockFirstUntil = new Map<string, number>();

  mayPropose(tenantId: string): boolean {
    const until = this.lockFirstUntil.get(tenantId);
    if (until === undefined) return true;
    if (performance.now() < until) return false;
    this.lockFirstUntil.delete(tenantId);
    return true;
  }

  refused(tenantId: string): void {
    this.lockFirstUntil.set(tenantId, performance.now() + lockFirstMs);
  }
}
