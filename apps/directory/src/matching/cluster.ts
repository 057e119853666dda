import type { KeyKind, RankedUser } from '@idsync/contracts';
import { append, compareTexts } from '../shared/collections.js';
import { isSameName, shareName } from './names.js';
import { contradict, isPermanent, keyText, type Numbers, numbersOf, type RecordKey } from './record-keys.js';

/** A user record with the data that matching needs. */
export interface Person extends RankedUser {
  recordId: string;
  connectorId: string;
  /** Current identity. */
  identityId?: string;
  /** Identity before the running job, if the job has moved it. */
  keptIdentityId?: string;
  /** Match keys. */
  keys: readonly RecordKey[];
  /** Addresses that a deleted record has given up; they join nothing, but may open a case. */
  formerKeys: readonly RecordKey[];
  /** Words of the name; empty if it is unknown. */
  name: readonly string[];
  /** True if its source no longer lists it or reports it as deleted. */
  gone: boolean;
  /**
   * How firmly it is linked. `loose`: by its keys alone. `kept`: by an earlier run; a changed value does not unlink it.
   * `manual`: by an operator; it never joins a record that is manually linked to another identity.
   */
  linkStrength: 'loose' | 'kept' | 'manual';
  /** Set while new rules match everyone again: identity by the previous rules. */
  earlierIdentityId?: string;
  /** Set while new rules match everyone again: the user to which a fuzzy rule still links it. */
  fuzzyTo?: string;
}

/** Records of one person. */
export interface Cluster {
  members: Person[];
  /** Employee numbers and other permanent keys. */
  numbers: Numbers;
  /** Words of each known name. */
  names: (readonly string[])[];
  manualIdentityId?: string;
  /** A record whose corrected number needs a decision. */
  misfit?: DoubtfulLink;
  /** Kinds of the keys that have joined parts of it. */
  joinedBy: readonly KeyKind[];
}

/**
 * Records with a kept or manual link to the same identity start as one cluster, unless a corrected number has left
 * nothing that connects them.
 */
export function startingClusters(people: readonly Person[]): Cluster[] {
  const bound = new Map<string, Person[]>();
  const clusters: Cluster[] = [];
  for (const person of people) {
    const identityId = person.keptIdentityId ?? person.identityId;
    if (person.linkStrength === 'loose' || identityId === undefined) clusters.push(clusterOf([person]));
    else append(bound, identityId, person);
  }
  const kept = [...bound.values()].flatMap((members) => withoutUnsupported(members));
  return joinFuzzyLinks([...clusters, ...kept.map((members) => clusterOf(members))]);
}

function joinFuzzyLinks(clusters: Cluster[]): Cluster[] {
  let joined = clusters;
  for (const { recordId, fuzzyTo } of clusters.flatMap(({ members }) => members)) {
    if (fuzzyTo === undefined) continue;
    const has = (id: string) => joined.find(({ members }) => members.some((member) => member.recordId === id));
    const [own, other] = [has(recordId), has(fuzzyTo)];
    if (own && other && own !== other)
      joined = [...joined.filter((each) => each !== own && each !== other), join([other, own])];
  }
  return joined;
}

function clusterOf(members: Person[], joinedBy: readonly KeyKind[] = []): Cluster {
  return {
    members,
    numbers: numbersOf(members.flatMap(({ keys }) => keys)),
    names: members.map(({ name }) => name).filter((name) => name.length > 0),
    manualIdentityId: members.find(({ linkStrength }) => linkStrength === 'manual')?.identityId,
    misfit: misfitOf(members),
    joinedBy,
  };
}

export function join(clusters: readonly Cluster[], ...by: readonly KeyKind[]): Cluster {
  const members = clusters.flatMap((cluster) => cluster.members);
  return clusterOf(members, [...by, ...clusters.flatMap(({ joinedBy }) => joinedBy)]);
}

/** Returns the keys that a record has or has given up. */
export function keysOf({ keys, formerKeys }: Person): readonly RecordKey[] {
  return formerKeys.length === 0 ? keys : [...keys, ...formerKeys];
}

/** A record that may be linked with a wrong person, and the key that shows it. */
interface DoubtfulLink {
  recordId: string;
  key: RecordKey;
}

// Links that rest on nothing but an address which another person has as well.

/**
 * Returns the oldest record of a person that only these addresses connect with the older ones, and whose name is another.
 * If all records had come together, the addresses would not have joined them. `shared`: texts of keys that other people
 * have, too.
 */
export function doubtfulLinkOf({ members }: Cluster, shared: ReadonlySet<string>): DoubtfulLink | undefined {
  const parts = connected(members, (a, b) => areFirmlyLinked(a, b, shared));
  return firstDoubt(parts, (part, older) => {
    const texts = new Set(older.flatMap(keysOf).map(keyText));
    for (const { recordId, keys, linkStrength } of part) {
      const key = keys.find((each) => shared.has(keyText(each)) && texts.has(keyText(each)));
      if (key && linkStrength !== 'manual') return { recordId, key };
    }
    return undefined;
  });
}

function areFirmlyLinked(a: Person, b: Person, shared: ReadonlySet<string>): boolean {
  if (isManual(a) && isManual(b)) return true;
  const texts = new Set(keysOf(b).map(keyText));
  const common = keysOf(a).filter((key) => texts.has(keyText(key)));
  if (common.some((key) => isPermanent(key) || !shared.has(keyText(key)))) return true;
  return common.length > 0 && isSameName(a.name, b.name);
}

// Links of earlier runs that a corrected permanent key contradicts.

/**
 * Separates the records of one identity that a corrected number has made two people: their permanent keys contradict
 * each other, and they share neither another match key nor a name.
 */
export function withoutUnsupported(members: readonly Person[]): Person[][] {
  if (!haveSeveralNumbers(members)) return [[...members]];
  const parts = connected(members, support);
  const present = parts.filter((part) => part.some(({ gone }) => !gone));
  const [keeper, ...others] = present.length > 0 ? present : parts;
  const kept = [keeper ?? []];
  for (const part of others) {
    const fitting = kept.find((group) => !contradict(presentNumbers(group), presentNumbers(part)));
    if (fitting) fitting.push(...part);
    else kept.push(part);
  }
  // A deleted record separates no records, so it stays with the oldest part.
  if (present.length > 0) kept[0]?.push(...parts.filter((part) => !present.includes(part)).flat());
  return kept;
}

/**
 * Returns the oldest record of a person that an operator has not linked and whose permanent keys contradict those of
 * the older ones.
 */
export function misfitOf(members: readonly Person[]): DoubtfulLink | undefined {
  if (!haveSeveralNumbers(members)) return undefined;
  const numbered = members.filter(({ gone, keys }) => !gone && keys.some(isPermanent));
  const parts = connected(
    numbered,
    (a, b) => shareKey(a.keys.filter(isPermanent), b.keys) && !contradict(numbersOf(a.keys), numbersOf(b.keys)),
  );
  return firstDoubt(parts, (part, older) => {
    const isDecided = part.some(isManual) && older.some(isManual);
    const record = part.find((person) => !isManual(person));
    const key = record?.keys.find((each) => isPermanent(each) && contradict(numbersOf([each]), presentNumbers(older)));
    return !isDecided && record && key ? { recordId: record.recordId, key } : undefined;
  });
}

/** Returns false for nearly all people; nothing else is computed for them. */
function haveSeveralNumbers(members: readonly Person[]): boolean {
  if (members.length < 2) return false;
  return [...presentNumbers(members).values()].some((values) => values.size > 1);
}

function presentNumbers(members: readonly Person[]): Numbers {
  return numbersOf(members.filter(({ gone }) => !gone).flatMap(({ keys }) => keys));
}

function support(a: Person, b: Person): boolean {
  return (isManual(a) && isManual(b)) || shareKey(a.keys, b.keys) || shareName(a.name, b.name);
}

function isManual({ linkStrength }: Person): boolean {
  return linkStrength === 'manual';
}

function shareKey(keys: readonly RecordKey[], others: readonly RecordKey[]): boolean {
  return keys.some((key) => others.some((other) => keyText(other) === keyText(key)));
}

/** Returns the connected parts, and their records, oldest first. */
function connected(members: readonly Person[], touch: (a: Person, b: Person) => boolean): Person[][] {
  const byAge = (a: Person, b: Person) => compareTexts(a.recordId, b.recordId);
  let parts: Person[][] = [];
  for (const person of [...members].sort(byAge)) {
    const touching = parts.filter((part) => part.some((other) => touch(person, other)));
    parts = [...parts.filter((part) => !touching.includes(part)), [...touching.flat(), person]];
  }
  return parts.map((part) => part.sort(byAge)).sort(([a], [b]) => (a && b ? byAge(a, b) : 0));
}

/** Returns what is wrong with the first part for which `find` finds something beside the older ones. */
function firstDoubt(
  [first = [], ...others]: readonly Person[][],
  find: (part: readonly Person[], older: readonly Person[]) => DoubtfulLink | undefined,
): DoubtfulLink | undefined {
  const older = [...first];
  for (const part of others) {
    const found = find(part, older);
    if (found) return found;
    older.push(...part);
  }
  return undefined;
}
