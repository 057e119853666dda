import { ApiError } from '../api-error.js';

interface Waiting {
  begin: () => void;
  timer: NodeJS.Timeout;
}

/**
 * Lets each connector do a few things at once, and all of them together fewer than there are connections: whoever pushes wildly waits
 * for itself, and keeps nobody from reading the directory.
 */
export class Turns {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, Waiting[]>();
  private total = 0;

  constructor(private readonly limits: { each: number; all: number; queued: number; waitMs: number }) {}

  /** Does the work in its turn. Throws a 503 where it would wait too long, or too many wait already. */
  async take<T>(connector: string, work: () => Promise<T>): Promise<T> {
    if (!this.fits(connector)) await this.wait(connector);
    else this.count(connector, 1);
    try {
      return await work();
    } finally {
      this.count(connector, -1);
      this.next();
    }
  }

  private fits(connector: string): boolean {
    return this.total < this.limits.all && (this.running.get(connector) ?? 0) < this.limits.each;
  }

  private count(connector: string, change: 1 | -1): void {
    const running = (this.running.get(connector) ?? 0) + change;
    if (running === 0) this.running.delete(connector);
    else this.running.set(connector, running);
    this.total += change;
  }

  private wait(connector: string): Promise<void> {
    const queue = this.waiting.get(connector) ?? [];
    if (queue.length >= this.limits.queued) throw busy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.leave(connector, waiting);
        reject(busy());
      }, this.limits.waitMs);
      const waiting = { begin: resolve, timer };
      this.waiting.set(connector, [...queue, waiting]);
    });
  }

  /** The connector that has its turn goes to the end, so one with a long queue keeps no other waiting. */
  private next(): void {
    for (const [connector, [first]] of this.waiting) {
      if (!first || !this.fits(connector)) continue;
      this.leave(connector, first);
      clearTimeout(first.timer);
      this.count(connector, 1);
      first.begin();
      return;
    }
  }

  private leave(connector: string, gone: Waiting): void {
    const left = (this.waiting.get(connector) ?? []).filter((waiting) => waiting !== gone);
    this.waiting.delete(connector);
    if (left.length > 0) this.waiting.set(connector, left);
  }
}

export const busy = (): ApiError => new ApiError(503, 'the connector is busy; try again', 2);
