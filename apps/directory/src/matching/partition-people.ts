import { type MatchingKey, matchingKeys } from '@idsync/contracts';
import type { CorrelationKey } from '@idsync/database/directory';
import { namesDisagree } from './names.js';

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
  /**
   * True for a deleted record, which keeps its identity and does not conflict with another record of the same source.
   */
  deleted: boolean;
  /**
   * How firmly it is linked. `loose`: by its keys alone. `kept`: by an earlier run; a changed value does not unlink it.
   * `manual`: by an operator; it never joins a record that is manually linked to another identity.
   */
  linkStrength: 'loose' | 'kept' | 'manual';
}

/** Records of one person. */
export interface Cluster {
  members: Person[];
  connectors: Set<string>;
  numbers: Set<string>;
  /** Words of each known name. */
  names: (readonly string[])[];
  manualIdentityId?: string;
}

/**
 * A cluster that a match key would join with several others that cannot all be one person, or with one whose name has
 * nothing in common.
 */
interface Dispute {
  cluster: Cluster;
  key: CorrelationKey;
  candidates: Cluster[];
  /** True if only the name contradicts that the one candidate is the same person. */
  isOtherName: boolean;
}

export interface Partition {
  clusters: Cluster[];
  disputes: Dispute[];
}

/** A key shared by more clusters than this identifies no person, for example a shared mailbox or a placeholder. */
export const maxSharing = 50;

/**
 * Groups the users of a neighbourhood into people. The result does not depend on the order of the records. Keys join
 * tier by tier, the strongest first. A tier joins a connected group only if no two of its members conflict (two current
 * records of one source, two employee numbers, two manual links; for an address, also two names that have nothing in
 * common, because addresses are shared and given to others); otherwise it joins nothing in that group.
 */
export function partitionPeople(people: readonly Person[], tiers: readonly MatchingKey[] = matchingKeys): Partition {
  let clusters = startingClusters(people);
  const disputes = new Map<Cluster, Dispute>();
  for (const tier of tiers) {
    const sharing = clustersByValue(clusters, tier);
    const next = new Set(clusters);
    for (const component of connectedBy(sharing)) {
      if (component.length <= maxSharing && everyPair(component, (a, b) => joinable(a, b, tier))) {
        for (const cluster of component) next.delete(cluster);
        next.add(join(component));
      } else if (component.length <= maxSharing) {
        for (const dispute of disputesIn(component, tier, sharing)) disputes.set(dispute.cluster, dispute);
      }
    }
    clusters = [...next];
  }
  // A later tier may have joined a disputed cluster, which settles the dispute.
  const remaining = new Set(clusters);
  return { clusters, disputes: [...disputes.values()].filter(({ cluster }) => remaining.has(cluster)) };
}

/** Returns true if a key of this kind may join the two clusters. */
function joinable(a: Cluster, b: Cluster, tier: MatchingKey): boolean {
  return compatible(a, b) && (tier === 'employee_number' || !haveOtherNames(a, b));
}

/** Returns true if both names are known and no name of one agrees with a name of the other. */
function haveOtherNames(a: Cluster, b: Cluster): boolean {
  const pairs = a.names.flatMap((name) => b.names.map((other) => [name, other] as const));
  return pairs.length > 0 && pairs.every(([name, other]) => namesDisagree(name, other));
}

/** Returns true if nothing but the names contradicts that these two are one person. */
function compatible(a: Cluster, b: Cluster): boolean {
  if (a.manualIdentityId !== undefined && b.manualIdentityId !== undefined && a.manualIdentityId !== b.manualIdentityId)
    return false;
  if (a.numbers.size > 0 && b.numbers.size > 0 && !overlap(a.numbers, b.numbers)) return false;
  return !overlap(a.connectors, b.connectors);
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
    connectors: new Set(members.filter(({ deleted }) => !deleted).map(({ connectorId }) => connectorId)),
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
 * Returns the clusters that are compatible with at least two others, and the newer one of two that share an address and
 * have other names. An address of three such names is a shared mailbox, which needs no decision.
 */
function disputesIn(
  component: readonly Cluster[],
  tier: MatchingKey,
  sharing: ReadonlyMap<string, readonly Cluster[]>,
): Dispute[] {
  return component.flatMap((cluster) => {
    const candidates = new Map<Cluster, string>();
    const passedOn = new Map<Cluster, string>();
    for (const [value, clusters] of sharing) {
      if (!clusters.includes(cluster)) continue;
      for (const other of clusters) {
        if (other === cluster || !compatible(cluster, other)) continue;
        if (joinable(cluster, other, tier)) candidates.set(other, value);
        else if (clusters.length === 2 && isNewer(cluster, other)) passedOn.set(other, value);
      }
    }
    const isOtherName = candidates.size < 2;
    const disputed = isOtherName ? passedOn : candidates;
    const [value] = disputed.values();
    if (value === undefined) return [];
    return [{ cluster, key: { kind: tier, value }, candidates: [...disputed.keys()], isOtherName }];
  });
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
