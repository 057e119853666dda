import type { ClaimRequest } from '@idsync/database';

/** An endpoint that may have something due. */
export interface Waiting {
  webhookId: string;
  tenantId: string;
  floor: number;
  /** Attempts it may have under way beyond those it has, and how many of these may be retries. */
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

/**
 * Who may claim how much: each endpoint the same share, in turn, so that a long queue of one gives the others no wait. What one
 * does not need goes to those behind it.
 */
export function shareSlots(waiting: readonly Waiting[], free: FreeSlots): ClaimRequest[] {
  const requests: ClaimRequest[] = [];
  const tenants = new Map<string, number>();
  let { total, retries } = free;
  for (const [index, endpoint] of waiting.entries()) {
    const { hasFirst, hasRetry } = endpoint;
    const share = Math.ceil(total / (waiting.length - index));
    const ofTenant = tenants.get(endpoint.tenantId) ?? free.ofTenant(endpoint.tenantId);
    const room = Math.min(endpoint.room, share, ofTenant);
    if (room <= 0) continue;
    // Retries have waited longer, so they go first, within half of the room and what is not kept for first attempts.
    const retryRoom = hasRetry
      ? Math.max(Math.min(endpoint.retryRoom, retries, hasFirst ? Math.ceil(room / 2) : room), 0)
      : 0;
    const firstRoom = hasFirst ? room - retryRoom : 0;
    const taken = firstRoom + retryRoom;
    if (taken === 0) continue;
    requests.push({ webhookId: endpoint.webhookId, firstRoom, retryRoom, floor: endpoint.floor });
    total -= taken;
    retries -= retryRoom;
    tenants.set(endpoint.tenantId, ofTenant - taken);
  }
  return requests;
}
