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
 * records are linked to. If several clusters claim an identity, a manual link wins, else the oldest record: ids are UUIDv7,
 * so that of two records of one batch, whose times are the same, one is older too.
 */
export function assignIdentities(
  clusters: readonly Cluster[],
  identities: KnownIdentities,
  newId: (recordIds: readonly string[]) => string,
): Assignment[] {
  const claimants = new Map<string, Cluster>();
  for (const cluster of clusters) {
    for (const id of linkedIdentities(cluster, identities)) {
      const rival = claimants.get(id);
      if (rival === undefined || rank(cluster, id) < rank(rival, id)) claimants.set(id, cluster);
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

/** The lowest rank gets the identity. Records that the running job has moved to it come last: `~` is after any id. */
function rank({ manualIdentityId, members }: Cluster, identityId: string): string {
  if (manualIdentityId === identityId) return '';
  const isMoved = !members.some((member) => (member.keptIdentityId ?? member.identityId) === identityId);
  const [oldest = ''] = members.map(({ recordId }) => recordId).sort();
  return isMoved ? `~${oldest}` : oldest;
}
