/** Attempts that one endpoint may have under way in one process. */
const least = 2;
const most = 64;
export const initialCap = 16;

const quickMs = 1_000;
const slowMs = 5_000;

/** Quick answers widen it bit by bit, each slow one halves it: who is slow holds few of the slots that all share. */
export function nextCap(cap: number, durationMs: number): number {
  if (durationMs < quickMs) return Math.min(cap + 0.25, most);
  return durationMs < slowMs ? cap : Math.max(cap / 2, least);
}
