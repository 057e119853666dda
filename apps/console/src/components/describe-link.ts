import type { Explanation } from '../data/api';

type LinkedRecord = Explanation['records'][number];

/** Why a record belongs to its identity, in one sentence. */
export function describeLink({ linked, evidence }: Pick<LinkedRecord, 'linked' | 'evidence'>): string {
  const reason = evidence?.reason ? `: ${evidence.reason}` : '';
  switch (evidence?.kind ?? linked) {
    case 'first':
      return 'The first record of this identity: there was nothing to compare it with.';
    case 'keys':
      return evidence?.rule ? `${wordsOf(evidence.rule)} is the same.` : 'A match key is the same.';
    case 'fuzzy':
      return `${evidence?.rule ?? 'A fuzzy rule'} fits${evidence?.score === undefined ? '' : ` with ${Math.round(evidence.score * 100)} %`}.`;
    case 'operator':
      return `An operator linked it${reason}.`;
    case 'owner':
      return 'A machine that this person owns.';
    case 'technical_inheritor':
      return 'A machine that this person takes over if its owner leaves.';
    default:
      return 'It is not known why.';
  }
}

function wordsOf(field: string): string {
  const words = field.replace('attributes.', '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
