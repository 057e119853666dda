import type { MatchingRules } from '@idsync/contracts';
import type { RecordChange } from '../record-change.js';
import { contradict, numbersOf } from './numbers.js';
import { isDeleted, permanentKeys } from './record-keys.js';
import { scorePair } from './score-pair.js';

/**
 * Returns the user to which a fuzzy rule has linked a record, if a rule of the tenant still links the two. New rules
 * would otherwise unlink the record first, and the fuzzy match link it again.
 */
export function standingFuzzyLink(
  { record }: RecordChange,
  changes: ReadonlyMap<string, RecordChange>,
  rules: MatchingRules,
): string | undefined {
  const { evidence, identityId } = record;
  if (evidence?.kind !== 'fuzzy' || evidence.identity_id !== identityId || evidence.record_id === undefined)
    return undefined;
  const other = changes.get(evidence.record_id);
  if (!other || other.removed || other.record.identityId !== identityId || isDeleted(other.record)) return undefined;
  const [own, theirs] = [record, other.record].map(({ fields }) => numbersOf(permanentKeys(fields, rules)));
  if (own && theirs && contradict(own, theirs)) return undefined;
  const holds = rules.weak.some(
    (tier) =>
      tier.when_unique === 'link' &&
      scorePair(record.fields, other.record.fields, tier, { spelling: 'written', rules }).score >= tier.propose_at,
  );
  return holds ? other.record.id : undefined;
}
