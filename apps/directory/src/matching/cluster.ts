import type { KeyKind, RankedUser } from '@idsync/contracts';
import { append } from '../shared/collections.js';
import { connected, type Misfit, misfitOf, withoutUnsupported } from './corrected-numbers.js';
import { isSameName } from './names.js';
import { isPermanent, keyText, type Numbers, numbersOf, type RecordKey } from './record-keys.js';

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
  misfit?: Misfit;
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

// Links that rest on nothing but an address which another person has as well.

/** A record that only this address connects with the older records of its person. */
export interface DoubtfulLink {
  recordId: string;
  key: RecordKey;
}

/**
 * Returns the oldest record of a person that only these addresses connect with the older ones, and whose name is another.
 * If all records had come together, the addresses would not have joined them. `shared`: texts of keys that other people
 * have, too.
 */
export function doubtfulLinkOf({ members }: Cluster, shared: ReadonlySet<string>): DoubtfulLink | undefined {
  const [first = [], ...others] = connected(members, (a, b) => areFirmlyLinked(a, b, shared));
  const older = [...first];
  for (const part of others) {
    const texts = new Set(older.flatMap(keysOf).map(keyText));
    for (const person of part) {
      const key = person.keys.find((each) => shared.has(keyText(each)) && texts.has(keyText(each)));
      if (key && person.linkStrength !== 'manual') return { recordId: person.recordId, key };
    }
    older.push(...part);
  }
  return undefined;
}

function areFirmlyLinked(a: Person, b: Person, shared: ReadonlySet<string>): boolean {
  if (a.linkStrength === 'manual' && b.linkStrength === 'manual') return true;
  const texts = new Set(keysOf(b).map(keyText));
  const common = keysOf(a).filter((key) => texts.has(keyText(key)));
  if (common.some((key) => isPermanent(key) || !shared.has(keyText(key)))) return true;
  return common.length > 0 && isSameName(a.name, b.name);
}
