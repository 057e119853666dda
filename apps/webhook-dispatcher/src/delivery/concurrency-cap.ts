/** Concurrent attempts for one endpoint in one process. */
const least = 2;
const most = 64;
export const initialCap = 16;

const quickMs = 1_000;
const slowMs = 5_000;

/**
 * Returns the cap after a response: a quick one raises it slightly, a slow one halves it, so slow endpoints hold few
 * shared slots.
 */
export function nextCap(cap: number, durationMs: number): number {
  if (durationMs < quickMs) return Math.min(cap + 0.25, most);
  return durationMs < slowMs ? cap : Math.max(cap / 2, least);
}
