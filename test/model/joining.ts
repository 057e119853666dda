// How records become identities: "Matching" of docs/directory.md and ADR 0014.
import { type Group, hasLeft, haveDifferentNumbers, relationOf } from './contradictions.js';
import { withoutUnsupported } from './corrected-numbers.js';
import { isAddress, keysOf, type Tier, tiers } from './keys.js';
import { haveOneName } from './names.js';
import { type Entry, isDeleted } from './types.js';

/**
 * Users by identity: kept links stay, loose ones follow from the values alone, and each tier adds links, until none adds
 * more.
 */
export function joinUsers(users: readonly Entry[], keptPersonOf: (user: Entry) => number | undefined): Group[] {
  let groups: readonly Group[] = keptGroups(users, keptPersonOf);
  for (;;) {
    const joined = tiers.reduce(joinByTier, groups);
    if (joined.length === groups.length) return [...joined];
    groups = joined;
  }
}

function keptGroups(users: readonly Entry[], keptPersonOf: (user: Entry) => number | undefined): Group[] {
  const kept = new Map<unknown, Entry[]>();
  for (const user of users) {
    const identity = keptPersonOf(user) ?? user;
    kept.set(identity, [...(kept.get(identity) ?? []), user]);
  }
  return [...kept.values()].flatMap(withoutUnsupported);
}

/** For an address, people who have left and present people are grouped apart first. */
function joinByTier(groups: readonly Group[], tier: Tier): Group[] {
  if (!isAddress(tier)) return joinConnected(groups, tier);
  const [left, present] = [groups.filter(hasLeft), groups.filter((group) => !hasLeft(group))];
  return joinConnected([...joinConnected(left, tier), ...joinConnected(present, tier)], tier);
}

/** Joins all groups that a tier connects, unless two of them contradict each other. */
function joinConnected(groups: readonly Group[], tier: Tier): Group[] {
  return connected(groups, tier).flatMap((some) => {
    return isOnePerson(some, tier) ? [some.flat()] : joinUndoubted(some, tier);
  });
}

/**
 * A wrong number does not separate the contracts of the person who has it, and an address of several people not the
 * records of one name.
 */
function joinUndoubted(groups: readonly Group[], tier: Tier): Group[] {
  const belong = (group: Group, other: Group) =>
    relationOf(group, other, tier) === 'one person' && (!isAddress(tier) || haveSameName(group, other));
  return componentsOf(groups, belong).flatMap((some) => {
    const isWhole = some.every((group, at) => some.slice(at + 1).every((other) => belong(group, other)));
    return isWhole ? [some.flat()] : some;
  });
}

const haveSameName = (group: Group, other: Group): boolean =>
  group.some((one) => other.some((each) => haveOneName(one, each)));

function isOnePerson(groups: readonly Group[], tier: Tier): boolean {
  return groups.every((group, at) =>
    groups.slice(at + 1).every((other) => relationOf(group, other, tier) === 'one person'),
  );
}

/** Groups that share values of this tier, directly or through others. */
export function connected(groups: readonly Group[], tier: Tier): Group[][] {
  return componentsOf(groups, (group, other) => shareValue(group, other, tier));
}

function componentsOf(groups: readonly Group[], touch: (group: Group, other: Group) => boolean): Group[][] {
  let components: Group[][] = [];
  for (const group of groups) {
    const touching = components.filter((component) => component.some((other) => touch(group, other)));
    components = [...components.filter((component) => !touching.includes(component)), [...touching.flat(), group]];
  }
  return components;
}

export const valuesOf = (group: Group, tier: Tier): string[] => group.flatMap(({ fields }) => keysOf(fields, tier));

function shareValue(group: Group, other: Group, tier: Tier): boolean {
  return valuesOf(group, tier).some((value) => valuesOf(other, tier).includes(value));
}

/** The identity of an account that waits: its first key that exactly one person without another number has. */
export function findHolder(account: Entry, groups: readonly Group[]): Group | undefined {
  return tiers.map((tier) => holdersOf(account, tier, groups)).find((holders) => holders.length === 1)?.[0];
}

/** Returns the people that a key of an account fits. Names are not compared; a deleted user keeps its number, but no address. */
export function holdersOf(account: Entry, tier: Tier, groups: readonly Group[]): Group[] {
  const values = keysOf(account.fields, tier);
  const linking = (group: Group) => group.filter((user) => !isAddress(tier) || !isDeleted(user));
  return groups
    .filter((group) => valuesOf(linking(group), tier).some((value) => values.includes(value)))
    .filter((group) => !haveDifferentNumbers([account], group));
}
