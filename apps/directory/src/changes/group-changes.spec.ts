import { encodeId } from '@idsync/contracts';
import { groupIdOf } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import { describeGroups, groupChanges } from './group-changes.js';
import type { RecordChange } from './record-change.js';

const user = (nth: number, groups: string[], parts = {}) => storedRecord(nth, { fields: { groups }, ...parts });
const id = (nth: number) => encodeId('user', uuid(nth));
const none: ReadonlySet<string> = new Set();

const names = ['All', 'VPN', 'Same'];
const nameOf = (groupId: string) =>
  [1, 2].flatMap((nth) => names.filter((name) => groupIdOf(uuid(nth), name) === groupId))[0];
const changesOf = (...records: RecordChange[]) =>
  groupChanges(records).map(({ id: groupId, added, removed }) => ({ name: nameOf(groupId), added, removed }));

function eventsOf(
  records: RecordChange[],
  existed: 'before' | 'after' | 'both' | 'neither',
  { jobId, from }: { jobId?: string; from?: string } = {},
) {
  const changes = groupChanges(records);
  const ids = changes.length > 0 ? changes.map((change) => change.id) : [groupIdOf(uuid(1), 'All')];
  const states = ids.map((groupId) => ({
    id: groupId,
    connectorId: uuid(1),
    name: nameOf(groupId) ?? '',
    externalId: null,
  }));
  const all = new Set(ids);
  const before = existed === 'before' || existed === 'both' ? all : none;
  const after = existed === 'after' || existed === 'both' ? all : none;
  const renamed = new Map(from === undefined ? [] : ids.map((groupId) => [groupId, from]));
  return describeGroups(changes, { states, renamed, before, after }, { at: beginning, ...(jobId && { jobId }) });
}

describe('changes of groups', () => {
  it('have each user who became a member or is no longer one', () => {
    expect(
      changesOf(
        { record: user(1, ['VPN', 'All']) },
        { record: user(2, ['All']), before: user(2, ['VPN']) },
        { record: user(3, ['Same']), before: user(3, ['Same']) },
      ),
    ).toEqual([
      { name: 'VPN', added: [uuid(1)], removed: [uuid(2)] },
      { name: 'All', added: [uuid(1), uuid(2)], removed: [] },
    ]);
  });

  it('remove a deleted or removed user from all groups, and add a user who returns', () => {
    const [live, gone] = [user(1, ['All']), user(1, ['All'], { status: 'deleted' })];
    expect(changesOf({ record: gone, before: live })).toEqual([{ name: 'All', added: [], removed: [uuid(1)] }]);
    expect(changesOf({ record: live, before: live, removed: true })).toHaveLength(1);
    expect(changesOf({ record: live, before: gone })).toEqual([{ name: 'All', added: [uuid(1)], removed: [] }]);
    expect(changesOf({ record: gone, before: gone, removed: true })).toEqual([]);
  });

  it('are none for members of a group that has another name, or of another group with the name', () => {
    const renamed = {
      record: user(1, ['Crew'], { fields: { groups: ['Crew'], group_ids: [groupIdOf(uuid(1), 'All')] } }),
    };
    expect(changesOf({ ...renamed, before: user(1, ['All']) })).toEqual([]);
    const other = { record: user(1, ['All'], { fields: { groups: ['All'], group_ids: [uuid(77)] } }) };
    expect(changesOf({ ...other, before: user(1, ['All']) })).toHaveLength(2);
  });

  it('keep groups of two sources with one name separate', () => {
    const moved = { record: user(1, ['All'], { connectorId: uuid(2) }), before: user(1, ['All']) };
    expect(changesOf(moved)).toHaveLength(2);
  });

  it('have no groups of accounts', () => {
    expect(changesOf({ record: user(1, ['All'], { kind: 'account' }) })).toEqual([]);
  });
});

describe('events of groups', () => {
  const group = { name: 'All', source_id: encodeId('connector', uuid(1)) };

  it('report a new group before its members', () => {
    const [created, members, ...rest] = eventsOf([{ record: user(1, ['All']) }], 'after', { jobId: uuid(901) });
    expect(created).toMatchObject({ type: 'group.created', occurredAt: beginning, jobId: uuid(901), details: group });
    const details = { ...group, job_id: encodeId('job', uuid(901)), added: [id(1)], removed: [] };
    expect(members).toMatchObject({ type: 'group.members_changed', subjectId: created?.subjectId, details });
    expect(rest).toEqual([]);
  });

  it('report another name of a group that had members, and no member', () => {
    const [updated, ...rest] = eventsOf([], 'both', { from: 'Staff' });
    const changes = [{ field: 'name', from: 'Staff', to: 'All', source: encodeId('connector', uuid(1)) }];
    expect(updated).toMatchObject({ type: 'group.updated', details: { ...group, external_id: 'All', changes } });
    expect(rest).toEqual([]);
    expect(eventsOf([], 'neither', { from: 'Staff' })).toEqual([]);
  });

  it('are ordered by the name of the group, and by id where names are equal', () => {
    const records = [1, 2, 3].map((nth) => ({ record: user(nth, ['VPN', 'All', 'Same']) }));
    const shown = eventsOf(records, 'after').map(({ type, details }) => `${type} ${details.name}`);
    expect(shown.filter((line) => line.startsWith('group.created'))).toEqual(
      ['All', 'Same', 'VPN'].map((name) => `group.created ${name}`),
    );
  });

  it('report a group without members as deleted after its last member', () => {
    const events = eventsOf([{ record: user(1, []), before: user(1, ['All']) }], 'before');
    expect(events.map(({ type }) => type)).toEqual(['group.members_changed', 'group.deleted']);
  });

  it('report only members of a group that remains', () => {
    const events = eventsOf([{ record: user(1, []), before: user(1, ['All']) }], 'both');
    expect(events.map(({ type }) => type)).toEqual(['group.members_changed']);
  });

  it('name every member of a large change, in events of at most 200', () => {
    const records = Array.from({ length: 201 }, (_, nth) => ({ record: user(nth + 1, ['All']) }));
    const left = { record: user(900, []), before: user(900, ['All']) };
    const parts = eventsOf([...records, left], 'both').map(({ details }) => details);
    expect(parts.map(({ added }) => (added as string[]).length)).toEqual([200, 1]);
    expect(parts.map(({ removed }) => removed)).toEqual([[], [id(900)]]);
  });
});
