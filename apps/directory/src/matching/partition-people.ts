import { type MatchingKey, matchingKeys } from '@idsync/contracts';
import type { CorrelationKey } from '@idsync/database';

/** One user record, as matching sees it. */
export interface Person {
  recordId: string;
  connectorId: string;
  /** The identity it is linked to now. */
  identityId?: string;
  /** The certain keys that speak for it. */
  keys: readonly CorrelationKey[];
  /** False for a record its source has deleted: it keeps its identity, and says nothing against another of that source. */
  living: boolean;
  /**
   * How firmly it is linked: `loose` follows from the keys alone; `kept` was linked by an earlier run and never parts by a
   * changed value; `decided` was placed by an operator and is never joined with another decided one.
   */
  bond: 'loose' | 'kept' | 'decided';
}

/** Records that are one person. */
export interface Cluster {
  members: Person[];
  connectors: Set<string>;
  numbers: Set<string>;
  decidedFor?: string;
}

/** A cluster that a certain key would join to several others, who cannot all be one person. */
interface Dispute {
  cluster: Cluster;
  key: CorrelationKey;
  candidates: Cluster[];
}

export interface Partition {
  clusters: Cluster[];
  disputes: Dispute[];
}

/** More clusters than this around one key are no person: a shared mailbox, a placeholder. */
export const mostSharing = 50;

/**
 * Sorts the users of a neighbourhood into people: a function of what the records say, whatever order they came in. Keys
 * join tier by tier, the strongest first. Whatever a tier connects is joined if none of it speaks against another
 * (two living records of one source, two employee numbers, two decisions of an operator); otherwise that tier joins nothing of it.
 */
export function partitionPeople(people: readonly Person[], tiers: readonly MatchingKey[] = matchingKeys): Partition {
  let clusters = startingClusters(people);
  const disputes = new Map<Cluster, Dispute>();
  for (const tier of tiers) {
    const sharing = clustersByValue(clusters, tier);
    const next = new Set(clusters);
    for (const component of connectedBy(sharing)) {
      if (component.length <= mostSharing && everyPair(component, compatible)) {
        for (const cluster of component) next.delete(cluster);
        next.add(join(component));
      } else if (component.length <= mostSharing) {
        for (const dispute of disputesIn(component, tier, sharing)) disputes.set(dispute.cluster, dispute);
      }
    }
    clusters = [...next];
  }
  // What a later tier has settled is disputed no more.
  const standing = new Set(clusters);
  return { clusters, disputes: [...disputes.values()].filter(({ cluster }) => standing.has(cluster)) };
}

/** Nothing that is known speaks against these two being one person. */
function compatible(a: Cluster, b: Cluster): boolean {
  if (a.decidedFor !== undefined && b.decidedFor !== undefined && a.decidedFor !== b.decidedFor) return false;
  if (a.numbers.size > 0 && b.numbers.size > 0 && !overlap(a.numbers, b.numbers)) return false;
  return !overlap(a.connectors, b.connectors);
}

/** Records that were linked before and stay so are one cluster from the start. */
function startingClusters(people: readonly Person[]): Cluster[] {
  const bound = new Map<string, Person[]>();
  const clusters: Cluster[] = [];
  for (const person of people) {
    if (person.bond === 'loose' || person.identityId === undefined) clusters.push(clusterOf([person]));
    else bound.set(person.identityId, [...(bound.get(person.identityId) ?? []), person]);
  }
  return [...clusters, ...[...bound.values()].map(clusterOf)];
}

function clusterOf(members: Person[]): Cluster {
  const numbers = members.flatMap(({ keys }) => keys.filter(({ kind }) => kind === 'employee_number'));
  return {
    members,
    connectors: new Set(members.filter(({ living }) => living).map(({ connectorId }) => connectorId)),
    numbers: new Set(numbers.map(({ value }) => value)),
    decidedFor: members.find(({ bond }) => bond === 'decided')?.identityId,
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

/** Groups of two and more clusters that hang together by shared values. */
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

/** A cluster that could be either of two others is disputed; one that has a single way to go is not. */
function disputesIn(
  component: readonly Cluster[],
  tier: MatchingKey,
  sharing: ReadonlyMap<string, readonly Cluster[]>,
): Dispute[] {
  return component.flatMap((cluster) => {
    const candidates = new Map<Cluster, string>();
    for (const [value, clusters] of sharing) {
      if (!clusters.includes(cluster)) continue;
      for (const other of clusters) if (other !== cluster && compatible(cluster, other)) candidates.set(other, value);
    }
    const [value] = candidates.values();
    if (candidates.size < 2 || value === undefined) return [];
    return [{ cluster, key: { kind: tier, value }, candidates: [...candidates.keys()] }];
  });
}

function everyPair<T>(items: readonly T[], holds: (a: T, b: T) => boolean): boolean {
  return items.every((item, at) => items.slice(at + 1).every((other) => holds(item, other)));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const item of a) if (b.has(item)) return true;
  return false;
}
