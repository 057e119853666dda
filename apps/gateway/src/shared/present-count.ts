/** Renders a count that stopped after one more than `upTo`. */
export function presentCount(count: number, upTo: number): { count: number; exact: boolean } {
  return { count: Math.min(count, upTo), exact: count <= upTo };
}
