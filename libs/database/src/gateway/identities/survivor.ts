/**
 * Returns an SQL expression for the identity that id `$2` refers to: the result of `redirect`, or `$2` itself. It is a
 * subquery, which the planner treats as a constant; under row-level security, a bare `coalesce` is not used as an index
 * condition because it is not leakproof.
 */
export function survivor(redirect: string): string {
  return `(select coalesce((${redirect}), $2))`;
}
