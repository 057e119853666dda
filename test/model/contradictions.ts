// The meaning of a shared match key for two people: "Matching", "Several employments in one source" and "Addresses of
// leavers" of docs/directory.md.
import { misfitOf } from './corrected-numbers.js';
import { isAddress, keysOf, permanentTiers, type Tier } from './keys.js';
import { decidedStatus } from './lifecycle.js';
import { haveNoWordInCommon, haveOnlyTheLastWordInCommon, haveWordInCommon } from './names.js';
import { type Entry, isDeleted } from './types.js';

/** Users that are one person. */
export type Group = readonly Entry[];

/** `in doubt` opens a review case; `two people` needs none. */
export type Relation = 'one person' | 'two people' | 'in doubt';

export function relationOf(a: Group, b: Group, tier: Tier): Relation {
  if (operatorsPlacedApart(a, b)) return 'two people';
  if (haveDifferentNumbers(a, b) || misfitOf(a) || misfitOf(b))
    return isAddress(tier) && !haveCommonName(a, b) ? 'two people' : 'in doubt';
  return isAddress(tier) ? byAddress(a, b, tier) : byNumber(a, b, tier);
}

function operatorsPlacedApart(a: Group, b: Group): boolean {
  const [one, other] = [a, b].map((group) => group.find(({ manual }) => manual)?.person);
  return one !== undefined && other !== undefined && one !== other;
}

/** Two different values of an employee number, or of another permanent key, are two people. */
export function haveDifferentNumbers(a: Group, b: Group): boolean {
  return permanentTiers.some((tier) => {
    const [some, others] = [a, b].map((group) => group.flatMap(({ fields }) => keysOf(fields, tier)));
    return some?.length && others?.length && !some.some((number) => others.includes(number));
  });
}

function byNumber(a: Group, b: Group, tier: Tier): Relation {
  if (haveOtherNames(a, b, tier)) return 'in doubt';
  const pairs = pairsOfOneSource(a, b);
  if (pairs.some(([one, other]) => haveNoWordInCommon(one, other) || haveOnlyTheLastWordInCommon(one, other)))
    return 'in doubt';
  const sharing = listed(pairs).filter((pair) => share(pair, tier));
  if (sharing.length === listed(pairs).length) return 'one person';
  return sharing.length > 0 ? 'in doubt' : 'two people';
}

function byAddress(a: Group, b: Group, tier: Tier): Relation {
  const pairs = pairsOfOneSource(a, b);
  const isNamedOtherwise = haveOtherNames(a, b, tier);
  if (listed(pairs).length > 0) {
    const mayBeOne = listed(pairs).some((pair) => share(pair, tier)) || haveCommonName(a, b);
    return mayBeOne && !isNamedOtherwise ? 'in doubt' : 'two people';
  }
  const isOneGone = isGone(a) !== isGone(b) || hasBeenGivenUp(a, b, tier);
  if (isNamedOtherwise) return isOneGone ? 'two people' : 'in doubt';
  const [leaver = []] = [a, b].filter(hasLeft);
  const hasEnded = leaver.some((entry) => !isDeleted(entry) && entry.source.employments);
  const isOneLeaver = hasLeft(a) !== hasLeft(b) && (hasEnded || hasLeft([...a, ...b]));
  return pairs.length > 0 || isOneGone || isOneLeaver ? 'in doubt' : 'one person';
}

/** Only a deleted record of one of them has the address of the other. */
function hasBeenGivenUp(a: Group, b: Group, tier: Tier): boolean {
  if (isGone(a) || isGone(b)) return false;
  const [ofA, ofB] = [a, b].map((group) => group.filter((entry) => !isDeleted(entry)));
  return (
    shareAny(a, b, tier) &&
    !shareAny(ofA ?? [], ofB ?? [], tier) &&
    (shareAny(ofA ?? [], b, tier) || shareAny(a, ofB ?? [], tier))
  );
}

const shareAny = (a: Group, b: Group, tier: Tier): boolean =>
  a.some((one) => b.some((other) => share([one, other], tier)));

const pairsOfOneSource = (a: Group, b: Group): [Entry, Entry][] =>
  a.flatMap((one) => b.filter(({ source }) => source === one.source).map((other): [Entry, Entry] => [one, other]));

/** Pairs of which the source lists both. */
const listed = (pairs: readonly [Entry, Entry][]) =>
  pairs.filter(([one, other]) => !isDeleted(one) && !isDeleted(other));

const share = ([one, other]: readonly [Entry, Entry], tier: Tier): boolean =>
  keysOf(one.fields, tier).some((value) => keysOf(other.fields, tier).includes(value));

/** Apart from the surname, which relatives share. */
const haveCommonName = (a: Group, b: Group): boolean =>
  a.some((one) => b.some((other) => haveWordInCommon(one, other) && !haveOnlyTheLastWordInCommon(one, other)));

/** Two present people with one address who cannot be one, whatever an operator says. */
export function areOtherPeople(a: Group, b: Group, tier: Tier): boolean {
  if (isGone(a) || isGone(b)) return false;
  if (relationOf(a, b, tier) !== 'in doubt') return relationOf(a, b, tier) === 'two people';
  const areOthers = haveDifferentNumbers(a, b) || misfitOf(a) !== undefined || misfitOf(b) !== undefined;
  return areOthers || haveOtherNames(a, b, tier);
}

/** No name of one person has a word in common with a name of the other, or two records with the key have none. */
function haveOtherNames(a: Group, b: Group, tier: Tier): boolean {
  if (a.some((one) => b.some((other) => share([one, other], tier) && haveNoWordInCommon(one, other)))) return true;
  return (
    a.some(hasName) &&
    b.some(hasName) &&
    a.filter(hasName).every((one) => b.filter(hasName).every((other) => haveNoWordInCommon(one, other)))
  );
}

const hasName = ({ fields }: Entry): boolean =>
  (fields.first_name || fields.last_name || fields.display_name || '') !== '';

export const isGone = (group: Group): boolean => group.every(isDeleted);

/** By the records alone: the status that a person keeps says nothing about whose address it is. */
export const hasLeft = (group: Group): boolean => ['inactive', 'deleted'].includes(decidedStatus(group));
