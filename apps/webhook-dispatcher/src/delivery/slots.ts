import type { Endpoint } from './endpoint.js';
import type { FreeSlots } from './share-slots.js';

export interface SlotSettings {
  /** Concurrent attempts in this process, without long ones. */
  slots: number;
  /** Maximum retries among them. */
  retrySlots: number;
  /** Maximum for one tenant among them. */
  tenantSlots: number;
  /** An attempt that takes longer releases its slot and counts as long. */
  longMs: number;
  /** Maximum long attempts in this process, and of one tenant; at the limit, no new attempt starts. */
  longSlots: number;
  tenantLongSlots: number;
}

/** One attempt in flight. */
export interface Slot {
  readonly endpoint: Endpoint;
  readonly isRetry: boolean;
  readonly since: number;
  isLong: boolean;
}

interface Taken {
  slots: number;
  long: number;
}

/**
 * Tracks the attempts in flight. A long attempt counts only for its own endpoint: it costs a socket, but no slot. Times
 * are those of `performance.now()`.
 */
export class Slots {
  /** Oldest first. */
  private readonly recent = new Set<Slot>();
  private readonly tenants = new Map<string, Taken>();
  private retries = 0;
  private long = 0;

  constructor(private readonly settings: SlotSettings) {}

  take(endpoint: Endpoint, isRetry: boolean, now: number): Slot {
    const slot = { endpoint, isRetry, since: now, isLong: false };
    this.recent.add(slot);
    this.count(endpoint.tenantId, 1, 0);
    if (isRetry) this.retries += 1;
    endpoint.began(isRetry);
    return slot;
  }

  free(slot: Slot): void {
    const { endpoint, isRetry, isLong } = slot;
    if (isLong) {
      this.long -= 1;
      this.count(endpoint.tenantId, 0, -1);
    } else {
      this.recent.delete(slot);
      this.count(endpoint.tenantId, -1, 0);
      if (isRetry) this.retries -= 1;
    }
    endpoint.ended(isRetry, isLong);
  }

  /** Returns the free slots, after releasing those of attempts that have become long. */
  room(now: number): FreeSlots {
    for (const slot of this.recent) {
      if (now - slot.since < this.settings.longMs) break;
      this.markLong(slot);
    }
    const { slots, retrySlots, tenantSlots, longSlots, tenantLongSlots } = this.settings;
    const full = this.long >= longSlots;
    return {
      total: full ? 0 : slots - this.recent.size,
      retries: retrySlots - this.retries,
      ofTenant: (tenantId) => {
        const taken = this.tenants.get(tenantId);
        if (!taken) return tenantSlots;
        return taken.long >= tenantLongSlots ? 0 : tenantSlots - taken.slots;
      },
    };
  }

  private markLong(slot: Slot): void {
    slot.isLong = true;
    this.recent.delete(slot);
    this.long += 1;
    this.count(slot.endpoint.tenantId, -1, 1);
    if (slot.isRetry) this.retries -= 1;
    slot.endpoint.tookLong();
  }

  private count(tenantId: string, slots: number, long: number): void {
    const taken = this.tenants.get(tenantId) ?? { slots: 0, long: 0 };
    taken.slots += slots;
    taken.long += long;
    if (taken.slots === 0 && taken.long === 0) this.tenants.delete(tenantId);
    else this.tenants.set(tenantId, taken);
  }
}
