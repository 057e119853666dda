import type { Transaction } from '@idsync/database';
import { type EarlierIdentity, findRedirects } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import { rankedUser } from '../lifecycle/derive-status.js';
import { byId } from '../shared/collections.js';
import { type Assignment, assignIdentities } from './assign-identities.js';
import type { Cluster, Person } from './cluster.js';
import { linkedAccount } from './follow-people.js';
import { standingFuzzyLink } from './fuzzy-links.js';
import { nameWords } from './names.js';
import { isSettled, type Neighbourhood } from './neighbourhood.js';
import { type Partition, partitionPeople } from './partition-people.js';
import { isGone, isPermanent, keyText, type RecordKey } from './record-keys.js';
import type { DisputedRecord } from './relate-clusters.js';

/** The people of a neighbourhood with their identities. */
export interface PlacedPeople {
  partition: Partition;
  assignments: Assignment[];
  /** Merged identities that may have records again, as they were. */
  revived: ReadonlyMap<string, EarlierIdentity>;
}

/** Groups the users into people, again whenever locking the keys of moving records adds records to the neighbourhood. */
export async function placePeople(tx: Transaction, cause: Cause, neighbourhood: Neighbourhood): Promise<PlacedPeople> {
  for (;;) {
    const revived = new Map([...(await mergedByUnfinishedJobs(tx, neighbourhood)), ...(cause.revived ?? [])]);
    const partition = partitionPeople(peopleIn(neighbourhood, cause), cause.rules);
    const known = new Map<string, { createdAt: Date }>([...revived, ...neighbourhood.identities]);
    const assignments = assignIdentities(partition.clusters, known, (ids) => neighbourhood.newIdentityId(ids));
    const size = neighbourhood.changes.size;
    await neighbourhood.extend([...keysOfMovers(assignments), ...keysOfFollowers(neighbourhood, assignments)], []);
    if (neighbourhood.changes.size === size) return { partition, assignments, revived };
  }
}

function peopleIn(neighbourhood: Neighbourhood, cause: Cause): Person[] {
  const { changes, keys, strengths } = neighbourhood;
  const identifying = (all: readonly RecordKey[]) => all.filter((key) => keys.get(keyText(key))?.shared !== 'common');
  const users = [...changes.values()].filter(({ record, removed }) => record.kind === 'user' && !removed);
  return users.map((change) => {
    const { record } = change;
    return {
      recordId: record.id,
      connectorId: record.connectorId,
      identityId: record.identityId,
      keptIdentityId: strengths.keptIdentityOf(record),
      keys: identifying(neighbourhood.keysOf(record)),
      formerKeys: identifying(neighbourhood.formerKeysOf(record)),
      name: nameWords(record.fields),
      gone: isGone(record),
      ...rankedUser(record, cause),
      linkStrength: strengths.strengthOf(record),
      ...(cause.reconsider && {
        earlierIdentityId: record.identityId,
        fuzzyTo: standingFuzzyLink(change, changes, cause.rules),
      }),
    };
  });
}

/** Finds the identities that unfinished jobs have merged, which return if their records are separated again. */
async function mergedByUnfinishedJobs(
  tx: Transaction,
  { changes, identities, strengths }: Neighbourhood,
): Promise<Map<string, EarlierIdentity>> {
  const kept = new Set([...changes.values()].map(({ record }) => strengths.keptIdentityOf(record)));
  const ended = [...kept].filter((id) => id !== undefined && !identities.has(id)) as string[];
  return byId(ended.length > 0 ? await findRedirects(tx, ended) : []);
}

/** Returns the keys of users who get another identity: accounts and other people may wait for them. */
function keysOfMovers(assignments: readonly Assignment[]): RecordKey[] {
  return assignments.flatMap(({ cluster, identityId }) =>
    cluster.members
      .filter((member) => member.identityId !== undefined && member.identityId !== identityId)
      .flatMap(({ keys }) => keys),
  );
}

/**
 * Returns the keys by which accounts and machines may belong to another person: all keys of one that leaves its person;
 * of one that stays, its number, or its address if its name is another.
 */
function keysOfFollowers(neighbourhood: Neighbourhood, assignments: readonly Assignment[]): readonly RecordKey[] {
  const followers = [...neighbourhood.changes.values()].filter(
    ({ record, removed }) => record.kind !== 'user' && !removed,
  );
  if (followers.length === 0) return [];
  const names = namesOf(assignments);
  return followers.flatMap(({ record }) => {
    const keys = neighbourhood.keysOf(record);
    const { identityId, kind } = record;
    if (identityId === undefined || !isSettled(record, neighbourhood.strengths.strengthOf)) return keys;
    if (kind !== 'account') return keys.filter(isPermanent);
    return linkedAccount(identityId, keys, nameWords(record.fields), names.get(identityId) ?? []).keys;
  });
}

/** Returns the names in the records of each person, by identity. */
export function namesOf(assignments: readonly Assignment[]): Map<string, Cluster['names']> {
  return new Map(assignments.map(({ cluster, identityId }) => [identityId, cluster.names]));
}

/**
 * Maps each identity that lost all its people to the identity that has most of them now. People who had it before an
 * unfinished job decide; those that the job has linked to it decide only for an identity that is new in the job.
 */
export function successorsOf(
  { changes, strengths }: Neighbourhood,
  links: ReadonlyMap<string, string>,
): Map<string, string> {
  const present = new Set(links.values());
  const votes = new Map<string, Map<string, { kept: number; loose: number }>>();
  const vote = (from: string | undefined, to: string, by: 'kept' | 'loose') => {
    if (from === undefined || present.has(from)) return;
    const counts = votes.get(from) ?? new Map<string, { kept: number; loose: number }>();
    const count = counts.get(to) ?? { kept: 0, loose: 0 };
    count[by] += 1;
    votes.set(from, counts.set(to, count));
  };
  for (const { before } of changes.values()) {
    const to = before && links.get(before.id);
    if (!before || to === undefined) continue;
    const kept = strengths.keptIdentityOf(before);
    vote(kept, to, 'kept');
    vote(before.identityId, to, kept !== undefined || strengths.strengthOf(before) === 'loose' ? 'loose' : 'kept');
  }
  return new Map(
    [...votes].map(([id, counts]) => [
      id,
      [...counts].sort(([a, m], [b, n]) => n.kept - m.kept || n.loose - m.loose || (a < b ? -1 : 1))[0]?.[0] ?? id,
    ]),
  );
}

/** Returns the records of people whose match keys need a decision. */
export function disputedPeople({ partition, assignments }: PlacedPeople, { changes }: Neighbourhood): DisputedRecord[] {
  const idOf = new Map(assignments.map(({ cluster, identityId }) => [cluster, identityId]));
  const idsOf = (clusters: readonly Cluster[]) => clusters.flatMap((each) => idOf.get(each) ?? []);
  return partition.disputes.flatMap(({ cluster, key, candidates, doubt, recordId: own, further = [] }) => {
    const [oldest = ''] = cluster.members
      .filter(({ gone, keys }) => !gone && keys.some((each) => keyText(each) === keyText(key)))
      .map((member) => member.recordId)
      .sort();
    const record = changes.get(own ?? oldest)?.record;
    if (!record) return [];
    const others = further.map((each) => ({ key: each.key, candidates: idsOf(each.candidates), doubt: each.doubt }));
    return [{ record, key, candidates: idsOf(candidates), doubt, further: others }];
  });
}
