import type { CorrelationKey } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Assignment } from './assign-identities.js';
import { evidenceOfLinks, firstEvidence, isManualNoLonger, type LinkedRecord } from './evidence-of-links.js';
import { standingFuzzyLink } from './fuzzy-evidence.js';
import type { Neighbourhood } from './neighbourhood.js';
import { keyText } from './record-keys.js';

/** Sets the evidence of the users and accounts of every identity that has gained or lost one. */
export function recordEvidence(
  neighbourhood: Neighbourhood,
  assignments: readonly Assignment[],
  followedKeys: ReadonlyMap<string, CorrelationKey>,
  cause: Cause,
): void {
  const { changes } = neighbourhood;
  const regrouped = new Map<string, RecordChange[]>();
  const removed = new Set<string>();
  for (const [id, change] of changes) {
    const { record, before } = change;
    if (record.kind === 'machine_identity') continue;
    if (change.removed) removed.add(id);
    const isSame = record.identityId === before?.identityId && !change.removed && !isManualNoLonger(change);
    if (isSame && !cause.reconsider && !change.evidence) continue;
    for (const each of [record.identityId, before?.identityId]) if (each !== undefined) regrouped.set(each, []);
    if (record.identityId === undefined && record.evidence)
      changes.set(id, { ...change, record: { ...record, evidence: undefined } });
  }
  for (const change of changes.values()) {
    if (change.record.kind === 'machine_identity' || change.removed || !change.record.identityId) continue;
    regrouped.get(change.record.identityId)?.push(change);
  }
  const joinedBy = new Map(assignments.map(({ cluster, identityId }) => [identityId, cluster.joinedBy]));
  for (const [identityId, group] of regrouped) {
    const [first] = group;
    // Most records of an import, for which the general way takes several times as long.
    if (first && group.length === 1 && isNewPerson(first)) {
      changes.set(first.record.id, {
        ...first,
        record: { ...first.record, evidence: firstEvidence(identityId, cause) },
      });
      continue;
    }
    const joining = new Set(joinedBy.get(identityId));
    const members = group.map((change): LinkedRecord => {
      // No key links a single record.
      if (group.length === 1) return { ...change, keys: [] };
      const stands = cause.reconsider && standingFuzzyLink(change, changes, cause.rules) !== undefined;
      const followed = followedKeys.get(change.record.id);
      return {
        ...change,
        ...(stands && { stands }),
        keys: followed ? [followed] : joiningKeys(change, neighbourhood, joining),
      };
    });
    for (const [id, evidence] of evidenceOfLinks(identityId, members, removed, cause)) {
      const change = changes.get(id);
      if (change && change.record.evidence !== evidence)
        changes.set(id, { ...change, record: { ...change.record, evidence } });
    }
  }
}

/** Returns true for a new user whose link has no other reason than that nothing else links it. */
function isNewPerson({ record, before, evidence, placed }: RecordChange): boolean {
  return record.kind === 'user' && before === undefined && evidence === undefined && !placed;
}

/** Returns the match keys of a record, those that have joined its cluster first. */
function joiningKeys(
  { record }: RecordChange,
  neighbourhood: Neighbourhood,
  joinedBy: ReadonlySet<string>,
): CorrelationKey[] {
  const keys = [...neighbourhood.keysOf(record), ...neighbourhood.formerKeysOf(record)].filter(
    (key) => neighbourhood.keys.get(keyText(key))?.shared !== 'common',
  );
  if (joinedBy.size === 0) return keys;
  return [...keys.filter(({ kind }) => joinedBy.has(kind)), ...keys.filter(({ kind }) => !joinedBy.has(kind))];
}
