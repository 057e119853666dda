/** A count of the API; a plus sign marks one that stopped at its limit. */
export function counted({ count, exact }: { count: number; exact: boolean }): string {
  return `${count}${exact ? '' : '+'}`;
}
