import { encodeId } from '@idsync/contracts';
import type { NewEvent } from '@idsync/database/bus';
import { groupsOf, type NamedGroup } from '@idsync/database/directory';
import { compareTexts, idsOf } from '../shared/collections.js';
import type { TimedCause } from './cause.js';
import { causeOf } from './describe-changes.js';
import type { RecordChange } from './record-change.js';

/** A group whose members a change adds or removes: ids of users. */
export interface GroupChange {
  group: NamedGroup;
  added: string[];
  removed: string[];
}

/** Members that one event names; a larger change has several events, so that no member is left out. */
const maxNamedMembers = 200;

/** Returns the changes of members, in the order of the groups' names. */
export function groupChanges(records: readonly RecordChange[]): GroupChange[] {
  const changes = new Map<string, GroupChange>();
  const changeOf = (group: NamedGroup): GroupChange => {
    const change = changes.get(group.id) ?? { group, added: [], removed: [] };
    changes.set(group.id, change);
    return change;
  };
  for (const { record, before, removed } of records) {
    const was = before ? groupsOf(before) : [];
    const now = removed ? [] : groupsOf(record);
    if (was.length === 0 && now.length === 0) continue;
    for (const group of without(now, was)) changeOf(group).added.push(record.id);
    for (const group of without(was, now)) changeOf(group).removed.push(record.id);
  }
  return [...changes.values()].sort(
    (a, b) => compareTexts(a.group.name, b.group.name) || compareTexts(a.group.id, b.group.id),
  );
}

function without(groups: readonly NamedGroup[], others: readonly NamedGroup[]): NamedGroup[] {
  const ids = new Set(idsOf(others));
  return groups.filter(({ id }) => !ids.has(id));
}

/**
 * Returns the events of groups: each new group, then its members. A group that loses its last member is deleted, because
 * a source names groups only in its users. `before` and `after` are the groups with members.
 */
export function describeGroups(
  changes: readonly GroupChange[],
  { before, after }: { before: ReadonlySet<string>; after: ReadonlySet<string> },
  cause: Pick<TimedCause, 'jobId' | 'operationId' | 'at'>,
): NewEvent[] {
  return changes.flatMap(({ group, added, removed }) => {
    const shown = {
      id: encodeId('group', group.id),
      name: group.name,
      source_id: encodeId('connector', group.connectorId),
    };
    const event = (type: NewEvent['type'], more: object = {}): NewEvent => ({
      type,
      occurredAt: cause.at,
      subjectId: group.id,
      jobId: cause.jobId,
      details: { ...shown, ...causeOf(cause), ...more },
    });
    return [
      ...(before.has(group.id) ? [] : [event('group.created')]),
      ...memberParts(added, removed).map((part) => event('group.members_changed', part)),
      ...(after.has(group.id) ? [] : [event('group.deleted')]),
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
