import type { ClaimRequest } from '@idsync/database';

/** An endpoint that may have something due. */
export interface Waiting {
  webhookId: string;
  tenantId: string;
  floor: number;
  /** Attempts it has under way. */
  inFlight: number;
  /** Attempts it may have beyond those, and how many of these may be retries. */
  room: number;
  retryRoom: number;
  hasFirst: boolean;
  hasRetry: boolean;
}

export interface FreeSlots {
  /** Attempts this process may begin. */
  total: number;
  /** How many of them may be retries: the rest is kept for first attempts. */
  retries: number;
  ofTenant: (tenantId: string) => number;
}

interface Share {
  endpoint: Waiting;
  most: number;
  taken: number;
}

/**
 * Who may claim how much: always whoever has the least under way, so that who answers slowly holds no more slots than who answers
 * at once, and a long queue of one gives the others no wait. Each slot in turn: had the free ones only gone round, 30 endpoints of 0.9 s
 * would have brought a quick one of their tenant down to their own pace.
 */
export function shareSlots(waiting: readonly Waiting[], free: FreeSlots): ClaimRequest[] {
  const tenants = new Map<string, number>();
  const byHeld: Share[][] = [];
  const shares = waiting.map((endpoint) => {
    const { room, retryRoom, hasFirst, inFlight, tenantId } = endpoint;
    const share = { endpoint, most: hasFirst ? room : Math.min(room, retryRoom), taken: 0 };
    byHeld[inFlight] ??= [];
    byHeld[inFlight].push(share);
    if (!tenants.has(tenantId)) tenants.set(tenantId, free.ofTenant(tenantId));
    return share;
  });
  let { total, retries } = free;
  for (let held = 0; held < byHeld.length && total > 0; held += 1) {
    for (const share of byHeld[held] ?? []) {
      const { tenantId, hasFirst } = share.endpoint;
      const ofTenant = tenants.get(tenantId) ?? 0;
      if (total <= 0) break;
      if (share.taken >= share.most || ofTenant <= 0 || (!hasFirst && retries <= 0)) continue;
      share.taken += 1;
      total -= 1;
      tenants.set(tenantId, ofTenant - 1);
      if (!hasFirst) retries -= 1;
      byHeld[held + 1] ??= [];
      byHeld[held + 1]?.push(share);
    }
  }
  return shares.flatMap(({ endpoint, taken }) => {
    if (taken === 0) return [];
    const { webhookId, floor, hasFirst, hasRetry } = endpoint;
    // Retries have waited longer, so they have half of it where there are both.
    const asRetries =
      hasFirst && hasRetry ? Math.max(Math.min(endpoint.retryRoom, retries, Math.ceil(taken / 2)), 0) : 0;
    retries -= asRetries;
    const retryRoom = hasFirst ? asRetries : taken;
    return { webhookId, firstRoom: taken - retryRoom, retryRoom, floor };
  });
}
