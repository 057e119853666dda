import { createHash } from 'node:crypto';

/** Chooses `count` mutants by the seed. A mutant that is added to the code replaces at most one of them. */
export function sampled(mutants, count, seed) {
  const rank = ({ id }) => createHash('sha256').update(`${seed}:${id}`).digest('hex');
  const chosen = new Set([...mutants].sort((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, count));
  return mutants.filter((mutant) => chosen.has(mutant));
}
