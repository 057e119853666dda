import { compareTexts } from '../shared/collections.js';
import type { Cluster, Person } from './cluster.js';

export interface Assignment {
  cluster: Cluster;
  identityId: string;
}

/** The identities that members of the neighbourhood are linked to, by id. */
type KnownIdentities = ReadonlyMap<string, { createdAt: Date }>;

/**
 * Assigns an identity to every cluster and keeps as many links as possible: a cluster gets the oldest identity that its
 * records are linked to. If several clusters claim an identity, a manual link wins, else the oldest record.
 */
export function assignIdentities(
  clusters: readonly Cluster[],
  identities: KnownIdentities,
  createdAtOf: (recordId: string) => number,
  newId: (recordIds: readonly string[]) => string,
): Assignment[] {
  const claimants = new Map<string, Cluster>();
  const oldest = (cluster: Cluster) => Math.min(...cluster.members.map(({ recordId }) => createdAtOf(recordId)));
  for (const cluster of clusters) {
    for (const id of linkedIdentities(cluster, identities)) {
      const rival = claimants.get(id);
      if (rival === undefined || rank(cluster, id, oldest) < rank(rival, id, oldest)) claimants.set(id, cluster);
    }
  }
  return clusters.map((cluster) => {
    const own = linkedIdentities(cluster, identities).filter((id) => claimants.get(id) === cluster);
    // Also a new one: the other records of a split are at it.
    const given = cluster.manualIdentityId ?? own[0];
    return { cluster, identityId: given ?? newId(cluster.members.map(({ recordId }) => recordId)) };
  });
}

/** Oldest first. */
function linkedIdentities(cluster: Cluster, identities: KnownIdentities): string[] {
  const linked = ({ keptIdentityId: kept, identityId }: Person) =>
    kept !== undefined && identities.has(kept) ? kept : identityId;
  const age = (id: string) => identities.get(id)?.createdAt.getTime() ?? 0;
  const ids = new Set(cluster.members.map(linked).filter((id) => id !== undefined));
  return [...ids].filter((id) => identities.has(id)).sort((a, b) => age(a) - age(b) || compareTexts(a, b));
}

/** Rank of a claim on an identity; the lowest wins. Records that the running job has moved to it come last. */
function rank(cluster: Cluster, identityId: string, oldest: (cluster: Cluster) => number): number {
  if (cluster.manualIdentityId === identityId) return -1;
  const isMoved = !cluster.members.some((member) => (member.keptIdentityId ?? member.identityId) === identityId);
  return isMoved ? Number.MAX_VALUE : oldest(cluster);
}
