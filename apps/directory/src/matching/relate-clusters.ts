import { decidingUsers, hasLeft as isLeaver, type KeyKind } from '@idsync/contracts';
import type { CorrelationKey, StoredRecord } from '@idsync/database/directory';
import { type Cluster, join, keysOf, type Person } from './cluster.js';
import { namesDisagree, shareName, shareOnlySurname } from './names.js';
import { contradict, keyText } from './record-keys.js';

/**
 * The only contradiction to two records being one person. `other_name`: their names have nothing in common.
 * `same_source`: one source lists both. `listed_before`: one source lists one of them and has listed the other.
 * `has_left`: the person would have left, but one of them is present, so that the address may have been given to
 * another person. `given_up`: only a deleted record of a present person had the address. `other_number`: they share one
 * permanent key, or an address and the name, and differ in another permanent key. `changed_number`: a corrected number
 * of one record contradicts the others of its person. `shared_address`: only an address of other people links a record
 * with its person.
 */
export type Doubt =
  | 'other_name'
  | 'same_source'
  | 'listed_before'
  | 'has_left'
  | 'given_up'
  | 'other_number'
  | 'changed_number'
  | 'shared_address';

/** A record whose match keys fit several people, or one person in doubt. */
export interface DisputedRecord {
  record: StoredRecord;
  key: CorrelationKey;
  /** Identity ids. */
  candidates: string[];
  /** Undefined if the key fits several people. `linked_elsewhere`: the record is linked to another person. */
  doubt?: Doubt | 'linked_elsewhere';
  /** Other people in doubt, by weaker keys. */
  further?: Omit<DisputedRecord, 'record' | 'further'>[];
}

export interface Tier {
  kind: KeyKind;
  /** True for an employee number and other keys that are never given to another person, false for addresses. */
  isPermanent: boolean;
  /** True if the key joins users of one source. */
  joinsEmployments: boolean;
}

type Relation = 'joinable' | 'incompatible' | Doubt;

/** Returns what a shared key of this tier proves about two clusters. */
export function relationOf(a: Cluster, b: Cluster, tier: Tier): Relation {
  if (a.manualIdentityId !== undefined && b.manualIdentityId !== undefined && a.manualIdentityId !== b.manualIdentityId)
    return 'incompatible';
  // Two people, unless the name and the address suggest that one has got another number.
  if (contradict(a.numbers, b.numbers) || a.misfit || b.misfit)
    return tier.isPermanent || someNames(a, b, shareName) ? 'other_number' : 'incompatible';
  return tier.isPermanent ? relationByNumber(a, b, tier) : relationByAddress(a, b, tier.kind);
}

function relationByNumber(a: Cluster, b: Cluster, { kind, joinsEmployments }: Tier): Relation {
  // Two companies that merge, and two sources with separate numbers, give the same number to different people.
  if (haveOtherNames(a, b, kind)) return 'other_name';
  const pairs = sameSourcePairs(a, b);
  // A number is typed wrong or given again more often than a given name changes.
  if (pairs.some(([{ name }, other]) => namesDisagree(name, other.name) || shareOnlySurname(name, other.name)))
    return 'other_name';
  const listedTwice = pairs.filter(([one, other]) => !one.gone && !other.gone);
  if (listedTwice.length === 0) return 'joinable';
  const sharing = listedTwice.filter(([one, other]) => shareKey(one, other, kind));
  if (sharing.length === 0) return 'incompatible';
  return joinsEmployments && sharing.length === listedTwice.length ? 'joinable' : 'same_source';
}

function relationByAddress(a: Cluster, b: Cluster, kind: KeyKind): Relation {
  const haveOther = haveOtherNames(a, b, kind);
  const pairs = sameSourcePairs(a, b);
  const listedTwice = pairs.filter(([one, other]) => !one.gone && !other.gone);
  if (listedTwice.length > 0) {
    const isShared = listedTwice.some(([one, other]) => shareKey(one, other, kind));
    return !haveOther && (isShared || someNames(a, b, shareName)) ? 'same_source' : 'incompatible';
  }
  const isOneGone = isGone(a) !== isGone(b);
  const isGivenUp = !isOneGone && haveGivenUp(a, b, kind);
  if (haveOther) return isOneGone || isGivenUp ? 'incompatible' : 'other_name';
  const haveMoved = isOneGone || isGivenUp || isOfLeaver(a, b);
  if (haveMoved && wereOnePerson(a, b)) return 'joinable';
  if (pairs.length > 0) return 'listed_before';
  if (isGivenUp) return 'given_up';
  return haveMoved ? 'has_left' : 'joinable';
}

/** Returns true if two present people with one address are certainly two. */
export function areOtherPeople(a: Cluster, b: Cluster, tier: Tier): boolean {
  const relation = relationOf(a, b, tier);
  return !isGone(a) && !isGone(b) && ['other_name', 'other_number', 'incompatible'].includes(relation);
}

/**
 * Returns true if one of them has left, by an employment or for the two together. Another employment would revive a
 * leaver, and a source that precedes a directory says that the person has not left.
 */
function isOfLeaver(a: Cluster, b: Cluster): boolean {
  if (hasLeft(a) === hasLeft(b)) return false;
  const leaver = hasLeft(a) ? a : b;
  return leaver.members.some(({ gone, isEmployment }) => !gone && isEmployment) || hasLeft(join([a, b]));
}

/** Returns true if a shared address belongs to one of them and only to a deleted record of the other. */
function haveGivenUp(a: Cluster, b: Cluster, kind: KeyKind): boolean {
  const values = ({ members }: Cluster, of: 'keys' | 'formerKeys') =>
    members.flatMap((member) => member[of].filter((key) => key.kind === kind).map(({ value }) => value));
  const [former, formerOfOther] = [values(a, 'formerKeys'), values(b, 'formerKeys')];
  if (former.length + formerOfOther.length === 0) return false;
  const [held, others] = [values(a, 'keys'), values(b, 'keys')];
  if (others.some((value) => held.includes(value))) return false;
  return former.some((value) => others.includes(value)) || formerOfOther.some((value) => held.includes(value));
}

/** Returns true if a person is inactive or deleted by the lifecycle authority. */
export function hasLeft({ members }: Cluster): boolean {
  return decidingUsers(members.filter(({ gone }) => !gone)).every(isLeaver);
}

function isGone({ members }: Cluster): boolean {
  return members.every(({ gone }) => gone);
}

function wereOnePerson(a: Cluster, b: Cluster): boolean {
  return a.members.some(
    ({ earlierIdentityId: id }) => id !== undefined && b.members.some((other) => other.earlierIdentityId === id),
  );
}

function shareKey(a: Person, b: Person, kind: KeyKind): boolean {
  return keysOf(a).some((key) => key.kind === kind && keysOf(b).some((other) => keyText(other) === keyText(key)));
}

function sameSourcePairs(a: Cluster, b: Cluster): [Person, Person][] {
  return a.members.flatMap((one) =>
    b.members.flatMap((other): [Person, Person][] => (one.connectorId === other.connectorId ? [[one, other]] : [])),
  );
}

/**
 * Returns true if no name of one agrees with a name of the other, or if two records with the key have other names: a third
 * one, whose name is like both, makes them no one person.
 */
function haveOtherNames(a: Cluster, b: Cluster, kind: KeyKind): boolean {
  if (!someNames(a, b, namesDisagree)) return false;
  const isOther = (one: Person) =>
    b.members.some((other) => namesDisagree(one.name, other.name) && shareKey(one, other, kind));
  return a.members.some(isOther) || !someNames(a, b, namesAgree);
}

type Name = Cluster['names'][number];

const namesAgree = (name: Name, other: Name) => !namesDisagree(name, other);

/** Returns true if a name of one and a name of the other are like this. */
export function someNames(a: Cluster, b: Cluster, are: (name: Name, other: Name) => boolean): boolean {
  return a.names.some((name) => b.names.some((other) => are(name, other)));
}

/**
 * Returns true if two clusters in doubt that share a value with others need a decision. A number never belongs to
 * several people, so their names do not matter; an address of several names is a shared mailbox.
 */
export function needsDecision(a: Cluster, b: Cluster, { isPermanent }: Tier): boolean {
  return isPermanent || someNames(a, b, namesAgree);
}

/** Returns true if the first of two clusters in doubt has the case. A person who is gone needs no decision. */
export function comesAfter(cluster: Cluster, other: Cluster): boolean {
  if (isGone(cluster)) return false;
  if (isGone(other) || hasLeft(cluster) !== hasLeft(other)) return !hasLeft(cluster);
  // Ids of records are in the order of their creation.
  const oldest = ({ members }: Cluster) => members.map(({ recordId }) => recordId).sort()[0] ?? '';
  return oldest(cluster) > oldest(other);
}
