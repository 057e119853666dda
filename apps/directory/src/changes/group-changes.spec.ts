import { encodeId } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { beginning, storedRecord, uuid } from '../../test/stored-record.js';
import { describeGroups, groupChanges } from './group-changes.js';
import type { RecordChange } from './record-change.js';

const user = (nth: number, groups: string[], parts = {}) => storedRecord(nth, { fields: { groups }, ...parts });
const id = (nth: number) => encodeId('user', uuid(nth));
const none: ReadonlySet<string> = new Set();

const changesOf = (...records: RecordChange[]) =>
  groupChanges(records).map(({ group, added, removed }) => ({ name: group.name, added, removed }));

function eventsOf(records: RecordChange[], existed: 'before' | 'after' | 'both' | 'neither', jobId?: string) {
  const changes = groupChanges(records);
  const all = new Set(changes.map(({ group }) => group.id));
  const before = existed === 'before' || existed === 'both' ? all : none;
  const after = existed === 'after' || existed === 'both' ? all : none;
  return describeGroups(changes, { before, after }, { at: beginning, ...(jobId && { jobId }) });
}

describe('changes of groups', () => {
  it('have each user who became a member or is no longer one, ordered by the name of the group', () => {
    expect(
      changesOf(
        { record: user(1, ['VPN', 'All']) },
        { record: user(2, ['All']), before: user(2, ['VPN']) },
        { record: user(3, ['Same']), before: user(3, ['Same']) },
      ),
    ).toEqual([
      { name: 'All', added: [uuid(1), uuid(2)], removed: [] },
      { name: 'VPN', added: [uuid(1)], removed: [uuid(2)] },
    ]);
  });

  it('are ordered by name in any order of the records, and by id where names are equal', () => {
    const names = ['b', 'a', 'c'];
    expect(changesOf(...names.map((name, nth) => ({ record: user(nth + 1, [name]) }))).map(({ name }) => name)).toEqual(
      ['a', 'b', 'c'],
    );
    const sources = [1, 2, 3, 4].map((nth) => ({ record: user(nth, ['All'], { connectorId: uuid(nth) }) }));
    const ids = groupChanges(sources).map(({ group }) => group.id);
    expect(ids).toEqual([...ids].sort());
    expect(groupChanges(sources.reverse()).map(({ group }) => group.id)).toEqual(ids);
  });

  it('remove a deleted or removed user from all groups, and add a user who returns', () => {
    const [live, gone] = [user(1, ['All']), user(1, ['All'], { status: 'deleted' })];
    expect(changesOf({ record: gone, before: live })).toEqual([{ name: 'All', added: [], removed: [uuid(1)] }]);
    expect(changesOf({ record: live, before: live, removed: true })).toHaveLength(1);
    expect(changesOf({ record: live, before: gone })).toEqual([{ name: 'All', added: [uuid(1)], removed: [] }]);
    expect(changesOf({ record: gone, before: gone, removed: true })).toEqual([]);
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
    const [created, members, ...rest] = eventsOf([{ record: user(1, ['All']) }], 'after', uuid(901));
    expect(created).toMatchObject({ type: 'group.created', occurredAt: beginning, jobId: uuid(901), details: group });
    const details = { ...group, job_id: encodeId('job', uuid(901)), added: [id(1)], removed: [] };
    expect(members).toMatchObject({ type: 'group.members_changed', subjectId: created?.subjectId, details });
    expect(rest).toEqual([]);
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
