import { defaultMatchingRules, type MatchingKey, type MatchingRules } from '@idsync/contracts';
import type { CorrelationKey } from '@idsync/database/directory';
import { namesDisagree } from './names.js';
import { keyText } from './record-keys.js';

/** A user record with the data that matching needs. */
export interface Person {
  recordId: string;
  connectorId: string;
  /** Current identity. */
  identityId?: string;
  /** Match keys. */
  keys: readonly CorrelationKey[];
  /** Words of the name; empty if it is unknown. */
  name: readonly string[];
  /** True if its source no longer lists it or reports it as deleted. */
  gone: boolean;
  /**
   * How firmly it is linked. `loose`: by its keys alone. `kept`: by an earlier run; a changed value does not unlink it.
   * `manual`: by an operator; it never joins a record that is manually linked to another identity.
   */
  linkStrength: 'loose' | 'kept' | 'manual';
}

/** Records of one person. */
export interface Cluster {
  members: Person[];
  numbers: Set<string>;
  /** Words of each known name. */
  names: (readonly string[])[];
  manualIdentityId?: string;
}

/**
 * The only contradiction to two records being one person. `other_name`: their names have nothing in common.
 * `same_source`: one source lists both.
 */
export type Doubt = 'other_name' | 'same_source';

/** A cluster that a match key would join with several others that cannot all be one person, or with one in doubt. */
interface Dispute {
  cluster: Cluster;
  key: CorrelationKey;
  candidates: Cluster[];
  /** Undefined if the key fits several people. */
  doubt?: Doubt;
}

export interface Partition {
  clusters: Cluster[];
  disputes: Dispute[];
}

/** A key shared by more clusters than this identifies no person, for example a shared mailbox or a placeholder. */
export const maxSharing = 50;

/** The part of the tenant's rules on which the grouping depends. */
export type GroupingRules = Pick<MatchingRules, 'certain' | 'several_employments'>;

/**
 * Groups the users of a neighbourhood into people. The result does not depend on the order of the records. Keys join
 * tier by tier, the strongest first. A tier joins a connected group only if nothing contradicts that any two of its
 * members are one person; otherwise it joins nothing in that group.
 */
export function partitionPeople(
  people: readonly Person[],
  { certain, several_employments }: GroupingRules = defaultMatchingRules,
): Partition {
  let clusters = startingClusters(people);
  const disputes = new Map<Cluster, Dispute>();
  for (const kind of certain) {
    const tier: Tier = { kind, joinsEmployments: kind === 'employee_number' && several_employments === 'primary' };
    const sharing = clustersByValue(clusters, kind);
    const next = new Set(clusters);
    for (const component of connectedBy(sharing)) {
      if (component.length <= maxSharing && everyPair(component, (a, b) => relationOf(a, b, tier) === 'joinable')) {
        for (const cluster of component) next.delete(cluster);
        next.add(join(component));
      } else if (component.length <= maxSharing) {
        for (const dispute of disputesIn(component, tier, sharing)) {
          // The strongest key is the reason that helps most.
          if (!disputes.has(dispute.cluster)) disputes.set(dispute.cluster, dispute);
        }
      }
    }
    clusters = [...next];
  }
  // A later tier may have joined a disputed cluster, which settles the dispute.
  const remaining = new Set(clusters);
  return { clusters, disputes: [...disputes.values()].filter(({ cluster }) => remaining.has(cluster)) };
}

interface Tier {
  kind: MatchingKey;
  /** True if the key joins users of one source. */
  joinsEmployments: boolean;
}

type Relation = 'joinable' | 'incompatible' | Doubt;

/** Returns what a shared key of this tier proves about two clusters. */
function relationOf(a: Cluster, b: Cluster, tier: Tier): Relation {
  if (a.manualIdentityId !== undefined && b.manualIdentityId !== undefined && a.manualIdentityId !== b.manualIdentityId)
    return 'incompatible';
  if (a.numbers.size > 0 && b.numbers.size > 0 && !overlap(a.numbers, b.numbers)) return 'incompatible';
  const pairs = sameSourcePairs(a, b);
  const listedTwice = pairs.filter(([one, other]) => !one.gone && !other.gone);
  const sharing = listedTwice.filter(([one, other]) => shareKey(one, other, tier.kind));
  if (tier.kind === 'employee_number') {
    if (pairs.some(([one, other]) => namesDisagree(one.name, other.name))) return 'other_name';
    if (listedTwice.length > 0 && sharing.length === 0) return 'incompatible';
    return sharing.length === listedTwice.length && (tier.joinsEmployments || sharing.length === 0)
      ? 'joinable'
      : 'same_source';
  }
  if (listedTwice.length === 0) return haveOtherNames(a, b) ? 'other_name' : 'joinable';
  return sharing.length > 0 && !haveOtherNames(a, b) ? 'same_source' : 'incompatible';
}

function shareKey(a: Person, b: Person, kind: MatchingKey): boolean {
  return a.keys.some((key) => key.kind === kind && b.keys.some((other) => keyText(other) === keyText(key)));
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

/** Records with a kept or manual link to the same identity start as one cluster. */
function startingClusters(people: readonly Person[]): Cluster[] {
  const bound = new Map<string, Person[]>();
  const clusters: Cluster[] = [];
  for (const person of people) {
    if (person.linkStrength === 'loose' || person.identityId === undefined) clusters.push(clusterOf([person]));
    else bound.set(person.identityId, [...(bound.get(person.identityId) ?? []), person]);
  }
  return [...clusters, ...[...bound.values()].map(clusterOf)];
}

function clusterOf(members: Person[]): Cluster {
  const numbers = members.flatMap(({ keys }) => keys.filter(({ kind }) => kind === 'employee_number'));
  return {
    members,
    numbers: new Set(numbers.map(({ value }) => value)),
    names: members.map(({ name }) => name).filter((name) => name.length > 0),
    manualIdentityId: members.find(({ linkStrength }) => linkStrength === 'manual')?.identityId,
  };
}

function join(clusters: readonly Cluster[]): Cluster {
  return clusterOf(clusters.flatMap(({ members }) => members));
}

function clustersByValue(clusters: readonly Cluster[], tier: MatchingKey): Map<string, Cluster[]> {
  const byValue = new Map<string, Cluster[]>();
  for (const cluster of clusters) {
    const values = cluster.members.flatMap(({ keys }) => keys.filter(({ kind }) => kind === tier));
    for (const value of new Set(values.map((key) => key.value))) {
      byValue.set(value, [...(byValue.get(value) ?? []), cluster]);
    }
  }
  return byValue;
}

/** Returns connected groups of two or more clusters by shared values. */
function connectedBy(sharing: ReadonlyMap<string, readonly Cluster[]>): Cluster[][] {
  const componentOf = new Map<Cluster, Set<Cluster>>();
  for (const clusters of sharing.values()) {
    if (clusters.length < 2) continue;
    const joined = new Set<Cluster>();
    for (const cluster of clusters) for (const each of componentOf.get(cluster) ?? [cluster]) joined.add(each);
    for (const each of joined) componentOf.set(each, joined);
  }
  return [...new Set(componentOf.values())].map((component) => [...component]);
}

/**
 * Returns the clusters that fit at least two others, and the newer one of two that are in doubt. An address of three
 * people without a common name is a shared mailbox, which needs no decision.
 */
function disputesIn(
  component: readonly Cluster[],
  tier: Tier,
  sharing: ReadonlyMap<string, readonly Cluster[]>,
): Dispute[] {
  return component.flatMap((cluster): Dispute[] => {
    const fitting = new Map<Cluster, string>();
    const inDoubt = new Map<Doubt, Map<Cluster, string>>();
    for (const [value, clusters] of sharing) {
      if (!clusters.includes(cluster)) continue;
      for (const other of clusters) {
        const relation = other === cluster ? 'incompatible' : relationOf(cluster, other, tier);
        if (relation === 'incompatible') continue;
        if (relation === 'joinable') fitting.set(other, value);
        else if (isNewer(cluster, other) && (clusters.length === 2 || mayBeSame(cluster, other, tier)))
          inDoubt.set(relation, (inDoubt.get(relation) ?? new Map<Cluster, string>()).set(other, value));
      }
    }
    const [[doubt, doubted] = []] = inDoubt;
    const disputed = fitting.size >= 2 ? fitting : (doubted ?? new Map<Cluster, string>());
    const [value] = disputed.values();
    if (value === undefined) return [];
    const key = { kind: tier.kind, value };
    return [{ cluster, key, candidates: [...disputed.keys()], ...(disputed === doubted && { doubt }) }];
  });
}

/** Returns true if two clusters that share a value with others probably are one person. */
function mayBeSame(a: Cluster, b: Cluster, { kind }: Tier): boolean {
  return kind === 'employee_number' ? !haveOtherNames(a, b) : haveSameNames(a, b);
}

/** Compares the oldest records; ids of records are in the order of their creation. */
function isNewer(a: Cluster, b: Cluster): boolean {
  const oldest = ({ members }: Cluster) => members.map(({ recordId }) => recordId).sort()[0] ?? '';
  return oldest(a) > oldest(b);
}

function everyPair<T>(items: readonly T[], holds: (a: T, b: T) => boolean): boolean {
  return items.every((item, at) => items.slice(at + 1).every((other) => holds(item, other)));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const item of a) if (b.has(item)) return true;
  return false;
}
