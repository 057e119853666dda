import type { CorrelationKey, LinkEvidence, StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { append } from '../shared/collections.js';
import type { Assignment } from './assign-identities.js';
import { clip, standingFuzzyLink } from './fuzzy-links.js';
import type { Neighbourhood } from './neighbourhood.js';
import { keyText } from './record-keys.js';

/** A user or account of an identity, with its new link. */
export interface LinkedRecord extends RecordChange {
  /** Match keys that may have linked it, the deciding ones first. */
  keys: readonly CorrelationKey[];
  /** The fuzzy rule that has linked it still does. */
  stands?: boolean;
}

type LinkCause = Pick<Cause, 'now' | 'jobId' | 'operationId' | 'reconsider'>;

/**
 * Returns why each of these records belongs to the identity, after some of its records were linked, moved or removed.
 * The evidence of a record names another record of the same identity, so that every record leads to the first one.
 */
export function evidenceOfLinks(
  identityId: string,
  members: readonly LinkedRecord[],
  removed: ReadonlySet<string>,
  cause: LinkCause,
): Map<string, LinkEvidence> {
  const here = new Map(members.map((member) => [member.record.id, member]));
  const settled = new Map<string, LinkEvidence>();
  const holders = new Map<string, StoredRecord>();
  const namedBy = usersNaming(members);
  const { kind: _, ...stamp } = firstEvidence(identityId, cause);

  const settle = ({ record, keys }: LinkedRecord, evidence: LinkEvidence) => {
    settled.set(record.id, evidence);
    if (record.kind !== 'user') return;
    for (const key of keys) holders.set(keyText(key), holders.get(keyText(key)) ?? record);
  };
  const byKey = ({ record, keys }: LinkedRecord): LinkEvidence | undefined => {
    for (const { kind, value } of keys) {
      const other = holders.get(keyText({ kind, value }));
      if (!other) continue;
      const values = [{ field: kind, value: fieldValue(record, kind), other: fieldValue(other, kind) }];
      return { kind: 'keys', ...stamp, record_id: other.id, rule: kind, values };
    }
    return undefined;
  };
  const attach = (member: LinkedRecord): LinkEvidence | undefined => {
    const { record, evidence: given, placed } = member;
    if (given && (given.record_id === undefined || here.has(given.record_id)))
      return { ...(given.at === undefined && causeOf(cause)), at: stamp.at, ...given, identity_id: identityId };
    const kept = !cause.reconsider || record.decided;
    const along = kept ? movedAlong(member, namedBy, settled, identityId) : undefined;
    return along ?? (placed ? undefined : byKey(member));
  };

  let pending: LinkedRecord[] = [];
  for (const member of [...members].sort(usersByAge)) {
    const standing = standingEvidence(member, identityId, { here, removed }, cause);
    if (standing === 'outdated') pending.push(member);
    else settle(member, standing);
  }
  const hasUser = () => [...settled.keys()].some((id) => here.get(id)?.record.kind === 'user');
  const hasRoot = [...settled].some(([id, evidence]) => here.get(id)?.record.kind === 'user' && !evidence.record_id);
  // Otherwise two records could name each other.
  const [oldest] = pending;
  if (cause.reconsider && !hasRoot && oldest?.record.kind === 'user') {
    settle(oldest, firstEvidence(identityId, cause));
    pending = pending.slice(1);
  }
  while (pending.length > 0) {
    const rest = pending.filter((member) => {
      const evidence = attach(member);
      if (evidence) settle(member, evidence);
      return evidence === undefined;
    });
    if (rest.length < pending.length) {
      pending = rest;
      continue;
    }
    const placed = rest.filter((member) => member.placed);
    const [first] = rest;
    if (placed.length > 0) for (const root of rootsOf(placed)) settle(root, { kind: 'operator', ...stamp });
    else if (first?.record.kind === 'user' && !hasUser()) settle(first, firstEvidence(identityId, cause));
    else for (const member of rest) settle(member, ownEvidence(member, identityId) ?? { kind: 'keys', ...stamp });
    pending = rest.filter(({ record }) => !settled.has(record.id));
  }
  return settled;
}

/** Returns the evidence of the first record of an identity. */
function firstEvidence(identityId: string, cause: LinkCause): LinkEvidence & { at: string } {
  return { kind: 'first', identity_id: identityId, at: cause.now.toISOString(), ...causeOf(cause) };
}

/** Returns the evidence without the other record and its values. */
function withoutOther({ record_id: _, values, ...evidence }: LinkEvidence): LinkEvidence {
  return { ...evidence, ...(values && { values: values.map(({ other: _, ...own }) => own) }) };
}

function causeOf({ jobId, operationId }: LinkCause): Pick<LinkEvidence, 'job_id' | 'operation_id'> {
  return { ...(jobId && { job_id: jobId }), ...(operationId && { operation_id: operationId }) };
}

function fieldValue({ fields }: StoredRecord, field: string): string | undefined {
  return clip(fields[field]?.[0]);
}

/** Users first, because accounts follow them. */
function usersByAge(a: LinkedRecord, b: LinkedRecord): number {
  if (a.record.kind !== b.record.kind) return a.record.kind === 'user' ? -1 : 1;
  return a.record.createdAt.getTime() - b.record.createdAt.getTime() || (a.record.id < b.record.id ? -1 : 1);
}

/** True if the link was an operator's decision, and its revert leaves it to the match keys. */
function isManualNoLonger({ record, before }: Pick<RecordChange, 'record' | 'before'>): boolean {
  return before?.decided === true && !record.decided;
}

/** Returns the stored evidence if it is about the current link. */
function storedEvidence(before: StoredRecord | undefined): LinkEvidence | undefined {
  return before?.evidence?.identity_id === before?.identityId ? before?.evidence : undefined;
}

/** Returns the evidence of a link that has not changed, or `outdated`. */
function standingEvidence(
  { record, before, evidence: given, keys, stands }: LinkedRecord,
  identityId: string,
  { here, removed }: { here: ReadonlyMap<string, LinkedRecord>; removed: ReadonlySet<string> },
  { reconsider }: LinkCause,
): LinkEvidence | 'outdated' {
  if (given || before?.identityId !== identityId || isManualNoLonger({ record, before })) return 'outdated';
  const stored = storedEvidence(before);
  if (!stored) return 'outdated';
  const { kind, rule, record_id: otherId } = stored;
  const other = otherId === undefined ? undefined : here.get(otherId);
  if (stands && other) return stored;
  if (reconsider && !record.decided && kind !== 'first') {
    const stillEqual = keys.some(
      (key) => key.kind === rule && other?.keys.some((each) => keyText(each) === keyText(key)),
    );
    return stillEqual ? stored : 'outdated';
  }
  if (otherId === undefined || other) return stored;
  return removed.has(otherId) ? withoutOther(stored) : 'outdated';
}

/** Returns the records whose evidence names none of the others; all of them if they name each other. */
function rootsOf(members: readonly LinkedRecord[]): readonly LinkedRecord[] {
  const ids = new Set(members.map(({ record }) => record.id));
  const roots = members.filter(({ before }) => !ids.has(storedEvidence(before)?.record_id ?? ''));
  return roots.length > 0 ? roots : members;
}

/** Returns the users by the id of the record that their evidence names. */
function usersNaming(members: readonly LinkedRecord[]): Map<string, LinkedRecord[]> {
  const naming = new Map<string, LinkedRecord[]>();
  for (const member of members) {
    const named = member.record.kind === 'user' ? storedEvidence(member.before)?.record_id : undefined;
    if (named !== undefined) append(naming, named, member);
  }
  return naming;
}

/** Returns the evidence between a record and one that has moved to the identity with it, in either direction. */
function movedAlong(
  { record, before }: LinkedRecord,
  namedBy: ReadonlyMap<string, readonly LinkedRecord[]>,
  settled: ReadonlyMap<string, unknown>,
  identityId: string,
): LinkEvidence | undefined {
  const own = storedEvidence(before);
  if (own?.record_id !== undefined && settled.has(own.record_id)) return { ...own, identity_id: identityId };
  if (before?.identityId === undefined) return undefined;
  const other = namedBy
    .get(record.id)
    ?.find((each) => settled.has(each.record.id) && each.before?.identityId === before.identityId);
  const theirs = storedEvidence(other?.before);
  if (!other || !theirs) return undefined;
  const values = theirs.values?.map(({ field, value, other: mine }) => ({ field, value: mine, other: value }));
  return { ...theirs, identity_id: identityId, record_id: other.record.id, ...(values && { values }) };
}

/** Returns what remains of the evidence of a record whose other record has left the identity. */
function ownEvidence({ before }: LinkedRecord, identityId: string): LinkEvidence | undefined {
  const stored = before?.identityId === identityId ? storedEvidence(before) : undefined;
  return stored && withoutOther(stored);
}

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
