import { ApiError } from './api-error.js';

export interface ConcurrencyLimits {
  /** Concurrent slots of one key, and of all keys. */
  each: number;
  all: number;
  /** Waiting requests of one key, and their timeout. */
  queued: number;
  waitMs: number;
  /** Memory for the slots of one key, and of all keys. */
  bytes: { each: number; all: number };
}

export interface Slot {
  /** Frees the slot but keeps `bytes` of its memory reserved until `release`. */
  workDone(bytes: number): void;
  /** Frees the slot and its memory. */
  release(): void;
}

interface Load {
  slots: number;
  bytes: number;
}

interface Waiting {
  needed: Load;
  grant: (slot: Slot) => void;
  timer: NodeJS.Timeout;
}

/**
 * Limits concurrent work and its memory, per key and in total. Keys are served in rotation, so that a key with many requests delays
 * only itself.
 */
export class ConcurrencyLimiter {
  private readonly loads = new Map<string, Load>();
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly total: Load = { slots: 0, bytes: 0 };

  constructor(
    private readonly limits: ConcurrencyLimits,
    private readonly refuse: () => ApiError = busy,
  ) {}

  /**
   * Resolves with a slot, or several that are freed together, for work that needs `bytes` of memory. Rejects with a 503 after the
   * timeout, or if too many wait.
   */
  acquire(key: string, bytes: number, slots = 1): Promise<Slot> {
    const queue = this.waiting.get(key) ?? [];
    if (queue.length >= this.limits.queued) return Promise.reject(this.refuse());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.dequeue(key, waiting);
        reject(this.refuse());
        // Smaller requests may have waited behind this one.
        this.grantAll();
      }, this.limits.waitMs);
      // Work that needs more than the limit of a key runs alone.
      const needed = { slots, bytes: Math.min(bytes, this.limits.bytes.each) };
      const waiting = { needed, grant: resolve, timer };
      this.waiting.set(key, [...queue, waiting]);
      this.grantAll();
    });
  }

  private grantAll(): void {
    while (this.grantOne());
  }

  /**
   * Grants a slot to the first waiting key that fits, then moves the key to the end. A key that waits only for the total limit is not
   * overtaken, because enough memory for a large request would otherwise never be free at once.
   */
  private grantOne(): boolean {
    for (const [key, [first]] of this.waiting) {
      if (!first || !fits(this.loadOf(key), first.needed, this.limits.each, this.limits.bytes.each)) continue;
      if (!fits(this.total, first.needed, this.limits.all, this.limits.bytes.all)) return false;
      this.dequeue(key, first);
      clearTimeout(first.timer);
      first.grant(this.slot(key, first.needed));
      return true;
    }
    return false;
  }

  private slot(key: string, needed: Load): Slot {
    const held: Load = { ...needed };
    const keep = (slots: number, bytes: number): void => {
      this.count(key, { slots: slots - held.slots, bytes: bytes - held.bytes });
      Object.assign(held, { slots, bytes });
      this.grantAll();
    };
    this.count(key, held);
    return {
      workDone: (bytes) => keep(0, Math.min(bytes, held.bytes)),
      release: () => keep(0, 0),
    };
  }

  private count(key: string, change: Load): void {
    const load = this.loadOf(key);
    const after = { slots: load.slots + change.slots, bytes: load.bytes + change.bytes };
    if (after.slots === 0 && after.bytes === 0) this.loads.delete(key);
    else this.loads.set(key, after);
    this.total.slots += change.slots;
    this.total.bytes += change.bytes;
  }

  private loadOf(key: string): Load {
    return this.loads.get(key) ?? { slots: 0, bytes: 0 };
  }

  private dequeue(key: string, done: Waiting): void {
    const remaining = (this.waiting.get(key) ?? []).filter((waiting) => waiting !== done);
    this.waiting.delete(key);
    if (remaining.length > 0) this.waiting.set(key, remaining);
  }
}

function fits(load: Load, needed: Load, maxSlots: number, maxBytes: number): boolean {
  return load.slots + needed.slots <= maxSlots && load.bytes + needed.bytes <= maxBytes;
}

export const busy = (): ApiError => new ApiError(503, 'the connector is busy: try again later', 2);
