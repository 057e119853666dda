import type { MatchingRules } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  assignKeys,
  type HeldKey,
  queueForMatching,
  releaseKeys,
  type StoredRecord,
  saveContests,
  saveWeakKeys,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { append, idsOf } from '../shared/collections.js';
import type { Assignment } from './assign-identities.js';
import { fuzzyValues } from './fuzzy-values.js';
import type { Neighbourhood } from './neighbourhood.js';
import { maxSharing } from './partition-people.js';
import { keyText } from './record-keys.js';

/** Match keys that were added, removed or moved to another identity, and the identities involved. */
export interface MovedKeys {
  values: Set<string>;
  identityIds: Set<string>;
}

/** A locked match key before and after the change. */
interface KeyChange {
  was: HeldKey;
  now: HeldKey;
  /** Identities with records that have the key. */
  identityIds: ReadonlySet<string>;
  /** These records. */
  recordIds: readonly string[];
  /** Deleted users that gave the address up; empty if none is left, undefined if there was none. */
  formerIds: readonly string[] | undefined;
}

/** Saves the new holders of the locked keys and returns the keys that moved. */
export async function saveKeys(
  tx: Transaction,
  neighbourhood: Neighbourhood,
  assignments: readonly Assignment[],
): Promise<MovedKeys> {
  const keys = keyChanges(neighbourhood, assignments);
  const held = keys.filter(({ identityIds }) => identityIds.size > 0);
  // A new key was locked for the identity that it was expected to get.
  const assigned = held.filter(
    ({ was, now }) => now.identityId !== (was.expectedId ?? was.identityId) || now.shared !== was.shared,
  );
  const released = keys.filter(({ identityIds }) => identityIds.size === 0);
  const contested = keys.filter(
    ({ was, now, formerIds }) => now.shared === 'contested' || was.shared === 'contested' || formerIds,
  );
  const moved = keys.filter(
    ({ was, now }) => now.identityId !== was.identityId || now.shared !== was.shared || now.shared === 'contested',
  );
  const stored = (some: readonly KeyChange[]) => some.map(({ was }) => was);
  const changed = assigned.map(({ now }) => now);
  await assignKeys(tx, changed);
  await releaseKeys(tx, stored(released));
  await saveContests(tx, stored(contested), contested.flatMap(contestsOf));
  return {
    values: new Set(moved.map(({ was }) => was.value)),
    identityIds: new Set(moved.flatMap(({ was, identityIds }) => [...identityIds, was.identityId ?? []].flat())),
  };
}

function keyChanges(neighbourhood: Neighbourhood, assignments: readonly Assignment[]): KeyChange[] {
  const claims = claimsOf(neighbourhood, assignments);
  const formerly = formerHolders(neighbourhood);
  return [...neighbourhood.keys].flatMap(([text, was]): KeyChange[] => {
    if (was.shared === 'common') return [];
    const claimants = claims.get(text) ?? [];
    const identityIds = new Set(claimants.map(({ identityId }) => identityId));
    const [identityId] = identityIds;
    const now: HeldKey = { kind: was.kind, value: was.value };
    if (identityIds.size === 1) now.identityId = identityId;
    else if (identityIds.size > 1) now.shared = identityIds.size > maxSharing ? 'common' : 'contested';
    const recordIds = claimants.map(({ recordId }) => recordId);
    return [{ was, now, identityIds, recordIds, formerIds: formerly.get(text) }];
  });
}

/** A new holder of an address that was given up may be the same person, so that the two contest it. */
function contestsOf({ was: { kind, value }, now, recordIds, formerIds = [] }: KeyChange) {
  if (now.shared !== 'contested' && formerIds.length === 0) return [];
  return [...recordIds, ...formerIds].map((recordId) => ({ kind, value, recordId }));
}

/** Returns the users that have each key, with their new identities. */
function claimsOf(neighbourhood: Neighbourhood, assignments: readonly Assignment[]) {
  const claims = new Map<string, { identityId: string; recordId: string }[]>();
  for (const { cluster, identityId } of assignments) {
    for (const { recordId } of cluster.members) {
      const record = neighbourhood.changes.get(recordId)?.record;
      for (const key of record ? neighbourhood.keysOf(record) : [])
        append(claims, keyText(key), { identityId, recordId });
    }
  }
  return claims;
}

/** Returns the deleted users that gave up an address, by key; an empty list if none is left. */
function formerHolders(neighbourhood: Neighbourhood): Map<string, string[]> {
  const holders = new Map<string, string[]>();
  for (const { record, before, removed } of neighbourhood.changes.values()) {
    for (const key of before ? neighbourhood.formerKeysBefore(before) : [])
      holders.set(keyText(key), holders.get(keyText(key)) ?? []);
    for (const key of removed ? [] : neighbourhood.formerKeysOf(record)) append(holders, keyText(key), record.id);
  }
  return holders;
}

/** A linked account is neither compared with people nor a candidate. */
export const isCompared = ({ kind, identityId }: StoredRecord) =>
  kind === 'user' || (kind === 'account' && identityId === undefined);

/** Returns the values by which similar records find this one; none if it is not compared. */
export function comparedValues(record: StoredRecord, rules: MatchingRules): string[] {
  return isCompared(record) ? fuzzyValues(record.fields, rules) : [];
}

/**
 * Saves the fuzzy-match values of changed users and accounts, and queues them for comparison after their job. An account
 * that is linked keeps its values until then, so that those similar to it are compared again.
 */
export async function noteForMatching(tx: Transaction, cause: Cause, records: readonly RecordChange[]): Promise<void> {
  const { rules, connectors, rederive } = cause;
  const compared = records.filter(({ record, before }) => isCompared(record) || (before && isCompared(before)));
  const moved = records.flatMap(({ record, before }) => {
    const values = before && isCompared(before) ? fuzzyValues(record.fields, rules) : comparedValues(record, rules);
    const same = before ? comparedValues(before, rules) : [];
    if (!rederive && same.join('\0') === values.join('\0')) return [];
    return [{ ...record, isNew: !before, values }];
  });
  await saveWeakKeys(tx, moved);
  // With a single source there is nothing to compare; the records of a second source will find these.
  const lists = [...connectors.values()].filter((connector) => connector.records !== 'machine_identity');
  if (lists.length < 2) return;
  await queueForMatching(tx, idsOf(compared.map(({ record }) => record)));
}
