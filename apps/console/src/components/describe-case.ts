import type { ReviewCase } from '../data/api';

type Case = Pick<ReviewCase, 'record' | 'candidates'>;

/** Name of a record in its source. */
export function recordName({ document, external_id }: ReviewCase['record']): string {
  const parts = [document.first_name, document.last_name].filter((part) => typeof part === 'string' && part !== '');
  const shown = document.display_name ?? (parts.length > 0 ? parts.join(' ') : undefined) ?? document.email;
  return typeof shown === 'string' ? shown : external_id;
}

/** Whether the record is in doubt about the person that it belongs to now, such as a row with the data of two people. */
function isInDoubt({ record, candidates }: Case): boolean {
  return candidates.some(({ identity_id }) => identity_id === record.identity_id);
}

/** Whether the record is a person, which stays as it is if it is none of the candidates. */
function isPerson(review: Case): boolean {
  return review.record.kind === 'user' && review.record.identity_id !== undefined && !isInDoubt(review);
}

/** The question of a case: what its record may be. */
export function questionOf(review: Case): string {
  const { record, candidates } = review;
  const name = recordName(record);
  const others = candidates.filter(({ identity_id }) => identity_id !== record.identity_id);
  const many = `one of ${others.length} ${record.identity_id ? 'other people' : 'people'}`;
  const target = others.length > 1 ? many : (others[0]?.display_name ?? 'another person');
  if (isPerson(review)) return `${name} may be the same person as ${target}`;
  return `${record.kind === 'account' ? 'Account' : 'Record'} ${name} may belong to ${target}`;
}

/** How things are until the case is decided. */
export function meanwhileOf(review: Case): string {
  if (isPerson(review)) return 'They are separate people until you decide.';
  return review.record.identity_id
    ? 'It stays with its present person until you decide.'
    : 'It belongs to no person until you decide.';
}

/** The decision that the record is none of the candidates, as its button and its result are called. */
export function apartWords(review: Case): { action: string; done: string } {
  return isPerson(review)
    ? { action: 'Keep apart', done: 'Kept apart' }
    : { action: 'New person', done: 'Made a new person' };
}
