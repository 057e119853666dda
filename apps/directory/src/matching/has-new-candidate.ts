import type { CaseCandidate, ReviewCase } from '@idsync/database/directory';

/** Returns false if an operator has ignored a case of the record with all of these candidates. */
export function hasNewCandidate(candidates: readonly CaseCandidate[], newest: ReviewCase | undefined): boolean {
  if (newest?.status !== 'ignored') return true;
  const known = new Set(newest.candidates.map(({ identity_id }) => identity_id));
  return candidates.some(({ identity_id }) => !known.has(identity_id));
}
