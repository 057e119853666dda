import type { CaseCandidate, ReviewCase } from '@idsync/database/directory';

/** Returns false if an operator has ignored a case of the record with all of these candidates, and decided none since. */
export function hasNewCandidate(candidates: readonly CaseCandidate[], decided: ReviewCase | undefined): boolean {
  if (decided?.status !== 'ignored') return true;
  const known = new Set(decided.candidates.map(({ identity_id }) => identity_id));
  return candidates.some(({ identity_id }) => !known.has(identity_id));
}
