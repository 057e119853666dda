import type { ClaimRequest } from '@idsync/database/delivery';

/** An endpoint that may have due deliveries. */
export interface Waiting {
  webhookId: string;
  tenantId: string;
  floor: number;
  /** Attempts in flight. */
  inFlight: number;
  /** Further attempts it may start, and how many of them may be retries. */
  room: number;
  retryLimit: number;
  hasFirst: boolean;
  hasRetry: boolean;
}

export interface FreeSlots {
  /** Attempts this process may start. */
  total: number;
  /** How many of them may be retries; the rest is reserved for first attempts. */
  retries: number;
  ofTenant: (tenantId: string) => number;
}

interface Share {
  endpoint: Waiting;
  most: number;
  taken: number;
}

/**
 * Assigns free slots one by one, always to the endpoint with the fewest attempts in flight. Slow endpoints therefore do
 * not hold more slots than quick ones, and a long queue of one endpoint does not delay the others. With plain
 * round-robin, 30 endpoints of 0.9 s would slow a quick endpoint of the same tenant down to their own pace.
 */
export function shareSlots(waiting: readonly Waiting[], free: FreeSlots): ClaimRequest[] {
  const tenants = new Map<string, number>();
  const byHeld: Share[][] = [];
  const shares = waiting.map((endpoint) => {
    const { room, retryLimit, hasFirst, inFlight, tenantId } = endpoint;
    const share = { endpoint, most: hasFirst ? room : Math.min(room, retryLimit), taken: 0 };
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
    const { webhookId, tenantId, floor, hasFirst, hasRetry } = endpoint;
    // Retries have waited longer, so they get half if both kinds are due.
    const asRetries =
      hasFirst && hasRetry ? Math.max(Math.min(endpoint.retryLimit, retries, Math.ceil(taken / 2)), 0) : 0;
    retries -= asRetries;
    const retryLimit = hasFirst ? asRetries : taken;
    return { webhookId, tenantId, firstLimit: taken - retryLimit, retryLimit, floor };
  });
}
