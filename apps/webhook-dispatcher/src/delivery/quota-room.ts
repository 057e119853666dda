import type { ClaimRequest } from '@idsync/database/delivery';

const hourMs = 3_600_000;

/** Reduces what is claimed to the attempts that a tenant has left in this hour, as evenly as the endpoints share slots. */
export function withinRoom(requests: readonly ClaimRequest[], room: number): ClaimRequest[] {
  let left = Math.max(room, 0);
  const taken = requests.map(() => ({ firstLimit: 0, retryLimit: 0 }));
  for (let progress = true; progress && left > 0; ) {
    progress = false;
    for (const [at, request] of requests.entries()) {
      const own = taken[at];
      if (!own || left === 0) continue;
      // First attempts come first, as without a quota.
      const lane = own.firstLimit < request.firstLimit ? 'firstLimit' : 'retryLimit';
      if (own[lane] >= request[lane]) continue;
      own[lane] += 1;
      left -= 1;
      progress = true;
    }
  }
  return requests.flatMap((request, at) => {
    const own = taken[at] ?? { firstLimit: 0, retryLimit: 0 };
    return own.firstLimit + own.retryLimit > 0 ? [{ ...request, ...own }] : [];
  });
}

/** Returns when the next hour of the clock begins. */
export function nextHour(now: number): number {
  return now - (now % hourMs) + hourMs;
}

/** Returns the tenants whose limits differ. */
export function changedQuotas(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((id) => before.get(id) !== after.get(id));
}
