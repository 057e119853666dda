import { encodeId } from '@idsync/contracts';
import type { NewEvent } from '@idsync/database/bus';
import { type GroupState, groupsOf, type RecordGroup } from '@idsync/database/directory';
import { compareTexts, idsOf } from '../shared/collections.js';
import type { TimedCause } from './cause.js';
import { causeOf } from './describe-changes.js';
import type { RecordChange } from './record-change.js';

/** A group whose members a change adds or removes: ids of users. */
export interface GroupChange {
  id: string;
  added: string[];
  removed: string[];
}

/** Members that one event names; a larger change has several events, so that no member is left out. */
const maxNamedMembers = 200;

/** Returns the changes of members. */
export function groupChanges(records: readonly RecordChange[]): GroupChange[] {
  const changes = new Map<string, GroupChange>();
  const changeOf = (id: string): GroupChange => {
    const change = changes.get(id) ?? { id, added: [], removed: [] };
    changes.set(id, change);
    return change;
  };
  for (const { record, before, removed } of records) {
    const was = before ? groupsOf(before) : [];
    const now = removed ? [] : groupsOf(record);
    if (was.length === 0 && now.length === 0) continue;
    for (const id of without(now, was)) changeOf(id).added.push(record.id);
    for (const id of without(was, now)) changeOf(id).removed.push(record.id);
  }
  return [...changes.values()];
}

function without(groups: readonly RecordGroup[], others: readonly RecordGroup[]): string[] {
  const ids = new Set(idsOf(others));
  return idsOf(groups).filter((id) => !ids.has(id));
}

/** The groups of a change as they are after it. */
interface ChangedGroups {
  states: readonly GroupState[];
  /** Former names of renamed groups. */
  renamed: ReadonlyMap<string, string>;
  /** Groups that had members before the change, and after it. */
  before: ReadonlySet<string>;
  after: ReadonlySet<string>;
}

/**
 * Returns the events of groups in the order of their names: each new group or new name, then its members. A group that
 * loses its last member is deleted, because a source names groups only in its users.
 */
export function describeGroups(
  changes: readonly GroupChange[],
  { states, renamed, before, after }: ChangedGroups,
  cause: Pick<TimedCause, 'jobId' | 'operationId' | 'at'>,
): NewEvent[] {
  const changeOf = new Map(changes.map((change) => [change.id, change]));
  const ordered = [...states].sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.id, b.id));
  return ordered.flatMap(({ id, name, externalId, connectorId }) => {
    const source = encodeId('connector', connectorId);
    const shown = { id: encodeId('group', id), name, external_id: externalId ?? name, source_id: source };
    const event = (type: NewEvent['type'], more: object = {}): NewEvent => ({
      type,
      occurredAt: cause.at,
      subjectId: id,
      jobId: cause.jobId,
      details: { ...shown, ...causeOf(cause), ...more },
    });
    const { added = [], removed = [] } = changeOf.get(id) ?? {};
    const from = renamed.get(id);
    const existed = before.has(id);
    const isRenamed = existed && from !== undefined;
    return [
      ...(existed || added.length === 0 ? [] : [event('group.created')]),
      ...(isRenamed ? [event('group.updated', { changes: [{ field: 'name', from, to: name, source }] })] : []),
      ...memberParts(added, removed).map((part) => event('group.members_changed', part)),
      ...(after.has(id) || removed.length === 0 ? [] : [event('group.deleted')]),
    ];
  });
}

/** Divides a change into parts of at most `maxNamedMembers`. */
function memberParts(added: readonly string[], removed: readonly string[]): { added: string[]; removed: string[] }[] {
  const members = [...added.map((id) => ({ id, isAdded: true })), ...removed.map((id) => ({ id, isAdded: false }))];
  const parts = [];
  for (let from = 0; from < members.length; from += maxNamedMembers) {
    const part = members.slice(from, from + maxNamedMembers);
    const ids = (isAdded: boolean) =>
      part.filter((member) => member.isAdded === isAdded).map(({ id }) => encodeId('user', id));
    parts.push({ added: ids(true), removed: ids(false) });
  }
  return parts;
}
