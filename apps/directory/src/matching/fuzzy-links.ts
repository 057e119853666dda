import type { MatchingRules, WeakTier } from '@idsync/contracts';
import type { LinkEvidence, StoredRecord } from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import type { Fields } from '../shared/collections.js';
import type { Proposal } from './find-candidates.js';
import { contradict, isDeleted, numbersOf, permanentKeys } from './record-keys.js';
import { type How, scorePair } from './score-pair.js';

/** Returns the fields of a fuzzy rule in which two records agree. */
function agreeingFields(a: Fields, b: Fields, tier: WeakTier, how: How): string[] {
  const agreeing = tier.comparisons.filter((each) => scorePair(a, b, { ...tier, comparisons: [each] }, how).score > 0);
  return [...new Set(agreeing.map(({ field }) => field))];
}

/** Returns the evidence of the link between a record and its only candidate. */
export function fuzzyEvidence(
  { record, tier, candidates, spelling }: Proposal,
  records: ReadonlyMap<string, StoredRecord>,
  rules: How['rules'],
): Omit<LinkEvidence, 'identity_id' | 'at'> {
  const [candidate] = candidates;
  const other = candidate?.record_id === undefined ? undefined : records.get(candidate.record_id);
  return {
    kind: 'fuzzy',
    rule: tier.name,
    ...(candidate && { score: candidate.score }),
    ...(other && {
      record_id: other.id,
      values: agreeingFields(record.fields, other.fields, tier, { spelling, rules }).map((field) => ({
        field,
        value: shownValue(record.fields, field),
        other: shownValue(other.fields, field),
      })),
    }),
  };
}

/** Returns the value that a fuzzy rule compares, as the source wrote it. */
export function shownValue(fields: Fields, field: string): string | undefined {
  if (field !== 'full_name') return clip(fields[field]?.[0]);
  const parts = [fields.first_name?.[0], fields.last_name?.[0]].filter((part) => part !== undefined);
  return clip(parts.length > 0 ? parts.join(' ') : fields.display_name?.[0]);
}

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

/** Longer values are cut. */
const longest = 200;

/** Returns a value as evidence shows it. */
export function clip(value: string | undefined): string | undefined {
  return value?.slice(0, longest);
}
