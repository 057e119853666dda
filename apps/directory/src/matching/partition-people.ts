import { defaultMatchingRules, type KeyKind, type MatchingRules } from '@idsync/contracts';
import type { CorrelationKey } from '@idsync/database/directory';
import { compareTexts } from '../shared/collections.js';
import { type Cluster, doubtfulLinkOf, join, keysOf, type Person, startingClusters } from './cluster.js';
import { isSameName } from './names.js';
import { isPermanentKind, keyText } from './record-keys.js';
import {
  areOtherPeople,
  comesAfter,
  type Doubt,
  hasLeft,
  needsDecision,
  relationOf,
  someNames,
  type Tier,
} from './relate-clusters.js';

/** A cluster that a match key would join with several others that cannot all be one person, or with one in doubt. */
interface Dispute {
  cluster: Cluster;
  key: CorrelationKey;
  candidates: Cluster[];
  /** Undefined if the key fits several people. */
  doubt?: Doubt;
  /** The record that needs the decision, if it is not the oldest one that has the key. */
  recordId?: string;
  /** Other people in doubt, by weaker keys. */
  further?: Dispute[];
}

export interface Partition {
  clusters: Cluster[];
  disputes: Dispute[];
}

/** A key shared by more clusters than this identifies no person, for example a shared mailbox or a placeholder. */
export const maxSharing = 50;

/** The part of the tenant's rules on which the grouping depends. */
export type GroupingRules = Pick<MatchingRules, 'certain' | 'keys' | 'several_employments'>;

/**
 * Groups the users of a neighbourhood into people. The result does not depend on the order of the records. Keys join
 * tier by tier, the strongest first. A tier joins a connected group only if nothing contradicts that any two of its
 * members are one person; otherwise it joins nothing in that group. A join by a weaker key may end the doubt of a stronger
 * one, so the tiers are tried until none joins more: records that come together have the result of records that come one
 * after another.
 */
export function partitionPeople(people: readonly Person[], rules: GroupingRules = defaultMatchingRules): Partition {
  const tiers = rules.certain.map((kind): Tier => {
    const isPermanent = isPermanentKind(kind, rules);
    return { kind, isPermanent, joinsEmployments: isPermanent && rules.several_employments === 'primary' };
  });
  let clusters = startingClusters(people);
  for (let before = Number.POSITIVE_INFINITY; clusters.length < before; ) {
    before = clusters.length;
    for (const tier of tiers) {
      if (sharedValues(clusters, tier.kind).size > 0) clusters = joinByTier(clusters, tier);
    }
  }
  // Only now, because a later tier may join a cluster in doubt with another one: the doubt about the others remains.
  const disputes = new Map<Cluster, Dispute>();
  const shared = new Set<string>();
  for (const tier of tiers) {
    const sharing = sharedValues(clusters, tier.kind);
    for (const text of sharedAddresses(sharing, tier)) shared.add(text);
    for (const component of connectedBy(sharing)) {
      if (component.length > maxSharing) continue;
      for (const dispute of disputesIn(component, tier, sharing)) {
        // The strongest key is the reason that helps most.
        const strongest = disputes.get(dispute.cluster);
        if (!strongest) disputes.set(dispute.cluster, dispute);
        else strongest.further = [...(strongest.further ?? []), dispute];
      }
    }
  }
  // A record that may be linked with a wrong person is more urgent than one that may be linked with another one.
  for (const cluster of clusters) {
    const wrong = cluster.misfit ?? (shared.size > 0 ? doubtfulLinkOf(cluster, shared) : undefined);
    if (!wrong) continue;
    const { kind, value } = wrong.key;
    const others = clusters.filter((other) => other !== cluster && hasKey(other, wrong.key));
    const doubt = cluster.misfit ? 'changed_number' : 'shared_address';
    const { recordId } = wrong;
    disputes.set(cluster, { cluster, key: { kind, value }, candidates: [...others, cluster], doubt, recordId });
  }
  return { clusters, disputes: [...disputes.values()] };
}

/**
 * Joins the connected groups of a tier. For an address, first the present people among themselves and those who have
 * left among themselves: if it was given to another person, it still joins the records of each of the two.
 */
function joinByTier(clusters: readonly Cluster[], tier: Tier): Cluster[] {
  if (tier.isPermanent) return joinConnected(clusters, tier);
  const former = clusters.filter((cluster) => hasLeft(cluster));
  if (former.length === 0) return joinConnected(clusters, tier);
  const present = clusters.filter((cluster) => !hasLeft(cluster));
  return joinConnected([...joinConnected(present, tier), ...joinConnected(former, tier)], tier);
}

function joinConnected(clusters: readonly Cluster[], tier: Tier): Cluster[] {
  const joined = new Set(clusters);
  for (const component of connectedBy(sharedValues(clusters, tier.kind))) {
    if (component.length > maxSharing) continue;
    for (const group of joinableGroups(component, tier)) {
      for (const cluster of group) joined.delete(cluster);
      joined.add(join(group, tier.kind));
    }
  }
  return [...joined];
}

/**
 * Returns the whole component if all of it may be one person. Otherwise the parts without any doubt about who belongs to
 * them: a wrong number must not separate the contracts of the person who has it, nor an address of several people the
 * records of one name.
 */
function joinableGroups(component: readonly Cluster[], tier: Tier): (readonly Cluster[])[] {
  const areJoinable = (a: Cluster, b: Cluster) => relationOf(a, b, tier) === 'joinable';
  if (everyPair(component, areJoinable)) return [component];
  const belong = (a: Cluster, b: Cluster) => areJoinable(a, b) && (tier.isPermanent || someNames(a, b, isSameName));
  const pairs = component.flatMap((a, at) =>
    component.slice(at + 1).flatMap((b) => (belong(a, b) ? [[a, b] as const] : [])),
  );
  const parts = connectedBy(new Map(pairs.map((pair, at) => [`${at}`, pair])));
  return parts.filter((part) => everyPair(part, belong));
}

/** Returns the values of a tier that several clusters have. */
function sharedValues(clusters: readonly Cluster[], tier: KeyKind): Map<string, Cluster[]> {
  const byValue = new Map<string, Cluster>();
  const shared = new Map<string, Cluster[]>();
  for (const cluster of clusters) {
    for (const member of cluster.members) {
      for (const { kind, value } of keysOf(member)) {
        if (kind !== tier) continue;
        const first = byValue.get(value);
        const sharing = shared.get(value);
        if (first === undefined) byValue.set(value, cluster);
        else if (sharing === undefined) {
          if (first !== cluster) shared.set(value, [first, cluster]);
        } else if (sharing.at(-1) !== cluster) sharing.push(cluster);
      }
    }
  }
  if (shared.size < 2) return shared;
  // In the order in which the values occur first.
  return new Map([...byValue.keys()].flatMap((value) => (shared.has(value) ? [[value, shared.get(value) ?? []]] : [])));
}

/** Returns the texts of addresses of several people who are certainly not one person. */
function sharedAddresses(sharing: ReadonlyMap<string, readonly Cluster[]>, tier: Tier): string[] {
  if (tier.isPermanent) return [];
  const mayBeOne = (a: Cluster, b: Cluster) => !areOtherPeople(a, b, tier);
  return [...sharing].flatMap(([value, clusters]) => {
    const isShared = clusters.length <= maxSharing && !everyPair(clusters, mayBeOne);
    return isShared ? keyText({ kind: tier.kind, value }) : [];
  });
}

/** Returns connected groups of two or more clusters by shared values. */
function connectedBy(sharing: ReadonlyMap<string, readonly Cluster[]>): Cluster[][] {
  const componentOf = new Map<Cluster, Set<Cluster>>();
  for (const clusters of sharing.values()) {
    const joined = new Set<Cluster>();
    for (const cluster of clusters) for (const each of componentOf.get(cluster) ?? [cluster]) joined.add(each);
    for (const each of joined) componentOf.set(each, joined);
  }
  return [...new Set(componentOf.values())].map((component) => [...component]);
}

/**
 * Returns the clusters that fit at least two others, and one of two that are in doubt: the present one, else the newer
 * one. An address of three people without a common name is a shared mailbox, which needs no decision.
 */
function disputesIn(
  component: readonly Cluster[],
  tier: Tier,
  sharing: ReadonlyMap<string, readonly Cluster[]>,
): Dispute[] {
  return component.flatMap((cluster): Dispute[] => {
    const fitting = new Map<Cluster, string>();
    const doubted = new Map<Cluster, string>();
    const found = new Set<Doubt>();
    // The record of a case, which has the value, does not depend on the order of the records.
    for (const [value, clusters] of [...sharing].sort(([a], [b]) => compareTexts(a, b))) {
      if (!clusters.includes(cluster)) continue;
      for (const other of clusters) {
        const isProposed = [cluster, other].some(
          ({ misfit }) => misfit && keyText(misfit.key) === keyText({ kind: tier.kind, value }),
        );
        // The case of the misfit has these people as candidates.
        const relation = other === cluster || isProposed ? 'incompatible' : relationOf(cluster, other, tier);
        if (relation === 'incompatible') continue;
        if (relation === 'joinable') fitting.set(other, fitting.get(other) ?? value);
        else if (comesAfter(cluster, other) && (clusters.length === 2 || needsDecision(cluster, other, tier))) {
          doubted.set(other, doubted.get(other) ?? value);
          found.add(relation);
        }
      }
    }
    const disputed = fitting.size >= 2 ? fitting : doubted;
    const [value] = disputed.values();
    if (value === undefined) return [];
    const key = { kind: tier.kind, value };
    const doubt = disputed === doubted && doubts.find((each) => found.has(each));
    return [{ cluster, key, candidates: [...disputed.keys()], ...(doubt && { doubt }) }];
  });
}

/** Strongest first: the reason of a case with several. */
const doubts: readonly Doubt[] = ['other_number', 'other_name', 'same_source', 'listed_before', 'has_left', 'given_up'];

function hasKey({ members }: Cluster, key: CorrelationKey): boolean {
  return members.some(({ keys }) => keys.some((each) => keyText(each) === keyText(key)));
}

function everyPair<T>(items: readonly T[], holds: (a: T, b: T) => boolean): boolean {
  return items.every((item, at) => items.slice(at + 1).every((other) => holds(item, other)));
}
