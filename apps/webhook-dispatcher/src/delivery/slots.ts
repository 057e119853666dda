import type { Endpoint } from './endpoint.js';
import type { FreeSlots } from './share-slots.js';

export interface SlotSettings {
  /** Attempts under way at the same time in this process, those that take long left out. */
  slots: number;
  /** How many of these retries may take. */
  retrySlots: number;
  /** How many those of one tenant may take. */
  tenantSlots: number;
  /** An attempt that takes longer gives its slot to others, and is one of the long ones from then on. */
  longMs: number;
  /** Long ones in this process, and of one tenant; whoever has as many begins nothing more. */
  longSlots: number;
  tenantLongSlots: number;
}

/** One attempt under way. */
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
 * Who is sending what. An attempt that takes long is held by its endpoint alone: it costs a socket, and nobody else their turn. Times
 * are those of `performance.now()`.
 */
export class Slots {
  /** The oldest first. */
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

  /** What may be begun. Attempts that have been under way for long by now give their slots back. */
  room(now: number): FreeSlots {
    for (const slot of this.recent) {
      if (now - slot.since < this.settings.longMs) break;
      this.turnLong(slot);
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

  private turnLong(slot: Slot): void {
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
