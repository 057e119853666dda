import type { MatchingKey } from '@idsync/contracts';
import { type Cluster, join, keysOf, type Person } from './cluster.js';
import { namesDisagree, shareOnlySurname } from './names.js';
import { keyText } from './record-keys.js';

/**
 * The only contradiction to two records being one person. `other_name`: their names have nothing in common.
 * `same_source`: one source lists or has listed both. `has_left`: the person would have left, but one of them is present,
 * so that the address may have been given to another person.
 */
export type Doubt = 'other_name' | 'same_source' | 'has_left';

export interface Tier {
  kind: MatchingKey;
  /** True if the key joins users of one source. */
  joinsEmployments: boolean;
}

type Relation = 'joinable' | 'incompatible' | Doubt;

/** Returns what a shared key of this tier proves about two clusters. */
export function relationOf(a: Cluster, b: Cluster, tier: Tier): Relation {
  if (a.manualIdentityId !== undefined && b.manualIdentityId !== undefined && a.manualIdentityId !== b.manualIdentityId)
    return 'incompatible';
  if (a.numbers.size > 0 && b.numbers.size > 0 && !overlap(a.numbers, b.numbers)) return 'incompatible';
  return tier.kind === 'employee_number' ? relationByNumber(a, b, tier) : relationByAddress(a, b, tier.kind);
}

function relationByNumber(a: Cluster, b: Cluster, { joinsEmployments }: Tier): Relation {
  const pairs = sameSourcePairs(a, b);
  // A number is typed wrong or given again more often than a given name changes.
  if (pairs.some(([{ name }, other]) => namesDisagree(name, other.name) || shareOnlySurname(name, other.name)))
    return 'other_name';
  const listedTwice = pairs.filter(([one, other]) => !one.gone && !other.gone);
  if (listedTwice.length === 0) return 'joinable';
  const sharing = listedTwice.filter(([one, other]) => shareKey(one, other, 'employee_number'));
  if (sharing.length === 0) return 'incompatible';
  return joinsEmployments && sharing.length === listedTwice.length ? 'joinable' : 'same_source';
}

function relationByAddress(a: Cluster, b: Cluster, kind: MatchingKey): Relation {
  const haveOther = haveOtherNames(a, b);
  const pairs = sameSourcePairs(a, b);
  const listedTwice = pairs.filter(([one, other]) => !one.gone && !other.gone);
  if (listedTwice.length > 0) {
    const isShared = listedTwice.some(([one, other]) => shareKey(one, other, kind));
    return isShared && !haveOther ? 'same_source' : 'incompatible';
  }
  const isOneGone = isGone(a) !== isGone(b);
  if (haveOther) return isOneGone ? 'incompatible' : 'other_name';
  const haveMoved = isOneGone || (hasLeft(a) !== hasLeft(b) && hasLeft(join([a, b])));
  if (haveMoved && wereOnePerson(a, b)) return 'joinable';
  if (pairs.length > 0) return 'same_source';
  return haveMoved ? 'has_left' : 'joinable';
}

/** Returns true if a person is inactive or deleted by the lifecycle authority: the first source that lists the person. */
export function hasLeft({ members }: Cluster): boolean {
  const listed = members.filter(({ gone }) => !gone);
  const first = Math.min(...listed.map(({ statusRank }) => statusRank));
  return !listed.some((member) => member.statusRank === first && !member.hasLeft);
}

function isGone({ members }: Cluster): boolean {
  return members.every(({ gone }) => gone);
}

function wereOnePerson(a: Cluster, b: Cluster): boolean {
  return a.members.some(
    ({ earlierIdentityId: id }) => id !== undefined && b.members.some((other) => other.earlierIdentityId === id),
  );
}

function shareKey(a: Person, b: Person, kind: MatchingKey): boolean {
  return keysOf(a).some((key) => key.kind === kind && keysOf(b).some((other) => keyText(other) === keyText(key)));
}

function sameSourcePairs(a: Cluster, b: Cluster): [Person, Person][] {
  return a.members.flatMap((one) =>
    b.members.flatMap((other): [Person, Person][] => (one.connectorId === other.connectorId ? [[one, other]] : [])),
  );
}

/** Returns true if both names are known and no name of one agrees with a name of the other. */
function haveOtherNames(a: Cluster, b: Cluster): boolean {
  const pairs = namePairs(a, b);
  return pairs.length > 0 && pairs.every(([name, other]) => namesDisagree(name, other));
}

/** Returns true if both names are known and one of them agrees with one of the other. */
function haveSameNames(a: Cluster, b: Cluster): boolean {
  return namePairs(a, b).some(([name, other]) => !namesDisagree(name, other));
}

function namePairs(a: Cluster, b: Cluster): (readonly [readonly string[], readonly string[]])[] {
  return a.names.flatMap((name) => b.names.map((other) => [name, other] as const));
}

/** Returns true if two clusters that share a value with others probably are one person. */
export function mayBeSame(a: Cluster, b: Cluster, { kind }: Tier): boolean {
  return kind === 'employee_number' ? !haveOtherNames(a, b) : haveSameNames(a, b);
}

/** Returns true if the first of two clusters in doubt has the case. A person who is gone needs no decision. */
export function comesAfter(cluster: Cluster, other: Cluster): boolean {
  if (isGone(cluster)) return false;
  if (isGone(other) || hasLeft(cluster) !== hasLeft(other)) return !hasLeft(cluster);
  return isNewer(cluster, other);
}

/** Compares the oldest records; ids of records are in the order of their creation. */
function isNewer(a: Cluster, b: Cluster): boolean {
  const oldest = ({ members }: Cluster) => members.map(({ recordId }) => recordId).sort()[0] ?? '';
  return oldest(a) > oldest(b);
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const item of a) if (b.has(item)) return true;
  return false;
}
