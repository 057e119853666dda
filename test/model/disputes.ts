// Which records a match key leaves to an operator: "Review cases" of docs/directory.md and ADR 0014.
import { type Group, hasLeft, isGone, relationOf } from './contradictions.js';
import { misfitOf } from './corrected-numbers.js';
import { connected, holdersOf, valuesOf } from './joining.js';
import { isAddress, keysOf, permanentTiers, type Tier, tiers } from './keys.js';
import { haveNoWordInCommon, haveOneName, wordsOf } from './names.js';
import { doubtfulLinkOf, sharedAddresses } from './shared-addresses.js';
import { type Entry, isDeleted } from './types.js';

export interface Dispute {
  entry: Entry;
  candidates: number[];
}

interface Matched {
  groups: readonly Group[];
  persons: ReadonlyMap<Group, number>;
}

export function disputesOf(
  { groups, persons }: Matched,
  accounts: readonly Entry[],
  links: ReadonlyMap<Entry, number | undefined>,
): Dispute[] {
  const idsOf = (others: readonly Group[]) => others.flatMap((other) => persons.get(other) ?? []);
  const shared = sharedAddresses(groups);
  const components = new Map(tiers.map((tier) => [tier, connected(groups, tier)]));
  const ofPeople = groups.flatMap((group): Dispute[] => {
    const misfit = misfitOf(group);
    if (misfit) {
      const { entry, tier } = misfit;
      const others = groups.filter((other) => other !== group && haveNumberOf(entry, other, tier));
      return [{ entry, candidates: idsOf([...others, group]) }];
    }
    const link = doubtfulLinkOf(group, shared);
    if (link) {
      const having = (other: Group) =>
        valuesOf(
          other.filter((entry) => !isDeleted(entry)),
          link.tier,
        );
      const others = groups.filter((other) => other !== group && having(other).includes(link.value));
      return [{ entry: link.entry, candidates: idsOf([...others, group]) }];
    }
    const found = tiers.flatMap((tier) => {
      const component = components.get(tier)?.find((some) => some.includes(group)) ?? [];
      const some = candidatesOf(group, component, tier);
      return some ? [{ ...some, tier }] : [];
    });
    // The strongest key names the record.
    const [strongest] = found;
    const entry = strongest && subjectOf(group, strongest.tier, strongest.value);
    return entry ? [{ entry, candidates: [...new Set(idsOf(found.flatMap(({ others }) => others)))] }] : [];
  });
  const ofAccounts = accounts.flatMap((account): Dispute[] => {
    const person = links.get(account);
    const others = person === undefined ? doubtful(account, groups) : otherPerson(account, groups, persons, person);
    return others.length > 0 ? [{ entry: account, candidates: idsOf(others) }] : [];
  });
  return [...ofPeople, ...ofAccounts];
}

function isMisfitBy(group: Group, tier: Tier, value: string): boolean {
  const misfit = misfitOf(group);
  return misfit !== undefined && misfit.tier === tier && keysOf(misfit.entry.fields, tier)[0] === value;
}

const haveNumberOf = (entry: Entry, others: Group, tier: Tier): boolean =>
  valuesOf(others, tier).some((value) => keysOf(entry.fields, tier).includes(value));

/** Returns the people that a key fits if there are several, or those in doubt. */
function candidatesOf(
  group: Group,
  component: readonly Group[],
  tier: Tier,
): { value: string; others: Group[] } | undefined {
  const values = [...new Set(valuesOf(group, tier))].sort();
  const sharing = values.flatMap((value) => {
    const all = component.filter((other) => valuesOf(other, tier).includes(value));
    // The case of a misfit has these people as candidates.
    const isProposed = (other: Group) => [group, other].some((each) => isMisfitBy(each, tier, value));
    return all
      .filter((other) => other !== group && !isProposed(other))
      .map((other) => ({ value, other, among: all.length }));
  });
  const fitting = sharing.filter(({ other }) => relationOf(group, other, tier) === 'one person');
  const doubtful = sharing.filter(
    ({ other, among }) =>
      relationOf(group, other, tier) === 'in doubt' &&
      needsTheDecision(group, other) &&
      (among === 2 || mayBeOnePerson(group, other, tier)),
  );
  const several = new Set(fitting.map(({ other }) => other)).size > 1;
  const chosen = several ? fitting : doubtful;
  const [first] = chosen;
  return first && { value: first.value, others: [...new Set(chosen.map(({ other }) => other))] };
}

/** The present person has the case, else the newer one. */
function needsTheDecision(group: Group, other: Group): boolean {
  if (isGone(group)) return false;
  if (isGone(other) || hasLeft(group) !== hasLeft(other)) return !hasLeft(group);
  return oldest(group) > oldest(other);
}

const oldest = (group: Group): number => Math.min(...group.map(({ nth }) => nth));

/** Three or more people with one address and different names share a mailbox. */
function mayBeOnePerson(group: Group, other: Group, tier: Tier): boolean {
  const named = group.flatMap((a) => other.map((b) => [a, b] as const)).filter((pair) => pair.every(hasName));
  return !isAddress(tier) || named.some(([a, b]) => !haveNoWordInCommon(a, b));
}

const hasName = ({ fields }: Entry): boolean => Boolean(fields.first_name || fields.last_name || fields.display_name);

/** The oldest record of the group that has the key. */
const subjectOf = (group: Group, tier: Tier, value: string): Entry | undefined =>
  group
    .filter((entry) => !isDeleted(entry) && keysOf(entry.fields, tier).includes(value))
    .sort((a, b) => a.nth - b.nth)[0];

/** The people of the strongest key that fits several, if no key decides. */
const doubtful = (account: Entry, groups: readonly Group[]): Group[] =>
  isDeleted(account)
    ? []
    : (tiers.map((tier) => holdersOf(account, tier, groups)).find((holders) => holders.length > 1) ?? []);

/** The one person who has a permanent key of an account that is linked to another person, or its address and name. */
function otherPerson(
  account: Entry,
  groups: readonly Group[],
  persons: ReadonlyMap<Group, number>,
  person: number,
): Group[] {
  if (account.manual || isDeleted(account)) return [];
  const own = groups.filter((group) => persons.get(group) === person).flat();
  const named = own.filter((entry) => wordsOf(entry).length > 0);
  const isHandedOver = named.length > 0 && named.every((entry) => haveNoWordInCommon(account, entry));
  for (const [tier, value] of tiers.flatMap((each) =>
    keysOf(account.fields, each).map((found) => [each, found] as const),
  )) {
    const isNumber = permanentTiers.some((each) => each === tier);
    const having = (group: Group) => group.filter((entry) => isNumber || !isDeleted(entry));
    const [holder, ...others] = groups.filter((group) => valuesOf(having(group), tier).includes(value));
    if (!holder || others.length > 0 || persons.get(holder) === person) continue;
    if (isNumber || (isHandedOver && holder.some((entry) => haveOneName(account, entry)))) return [holder];
  }
  return [];
}
