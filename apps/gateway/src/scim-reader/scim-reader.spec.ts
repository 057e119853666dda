import { encodeId, newUuid, requests, type responses } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { GroupRow } from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { defaultPage, largestPage } from '../scim/scim-bounds.js';
import { ScimError } from '../scim/scim-error.js';
import { writeCursor } from '../shared/cursor.js';
import { findMembers, maxMembers } from './find-resources.js';
import { presentGroup, presentUser, reduced, userNameOf } from './present-resource.js';
import { readCriteria } from './read-criteria.js';
import { pageResponse, readPage } from './read-page.js';

describe('the members of a group', () => {
  /** A database whose group has this many members. */
  function databaseWith(members: number): Database {
    let read = 0;
    return {
      read: async (_: string, { values }: { values: unknown[] }) => {
        const count = Math.min(Number(values[1]), members - read);
        const items = Array.from({ length: count }, (_item, at) => JSON.stringify({ id: `usr_${read + at}` })).join(
          ',',
        );
        read += count;
        return [{ items, count, isCut: false, total: members, at: count > 0 ? new Date(read) : null, id: newUuid() }];
      },
    } as unknown as Database;
  }

  it('are read page by page', async () => {
    const members = await findMembers(databaseWith(450), newUuid(), newUuid());
    expect(members.map(({ id }) => id)).toEqual(Array.from({ length: 450 }, (_, at) => `usr_${at}`));
  });

  it('are at most 2000 in one response', async () => {
    expect(await findMembers(databaseWith(maxMembers), newUuid(), newUuid())).toHaveLength(2_000);
    await expect(findMembers(databaseWith(maxMembers + 1), newUuid(), newUuid())).rejects.toBeInstanceOf(ScimError);
  });
});

const base = 'https://idsync.example.org/scim/v2';
const user = {
  id: 'usr_1',
  external_id: 'e1',
  display_name: 'Ada',
  status: 'active',
  departments: [],
  roles: [],
  groups: [],
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-02T00:00:00.000Z',
} as unknown as responses.User;
const presentedUser = (changes: object) => presentUser({ ...user, ...changes }, [], base);

describe('a user as a SCIM resource', () => {
  it('has only what the user has', () => {
    const { id, schemas, version, attributes } = presentedUser({});
    expect({ id, schemas }).toEqual({ id: 'usr_1', schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'] });
    expect(JSON.parse(JSON.stringify(attributes))).toEqual({
      externalId: 'e1',
      userName: 'e1',
      displayName: 'Ada',
      active: true,
      meta: {
        resourceType: 'User',
        created: user.created_at,
        lastModified: user.updated_at,
        location: `${base}/Users/usr_1`,
        version,
      },
    });
  });

  it.each(['inactive', 'suspended', 'pending'])('is not active with the status %s', (status) => {
    expect(presentedUser({ status }).attributes.active).toBe(false);
  });

  it('has a name if it has one part of it', () => {
    expect(presentedUser({ first_name: 'Ada' }).attributes.name).toEqual({ givenName: 'Ada' });
    expect(presentedUser({ last_name: 'King' }).attributes.name).toEqual({ familyName: 'King' });
  });

  it('has its address, roles and first department, with the schema of the enterprise extension', () => {
    const { attributes, schemas } = presentedUser({
      email: 'ada@example.org',
      roles: ['writer'],
      departments: ['Research', 'Sales'],
    });
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    expect(attributes).toMatchObject({
      emails: [{ value: 'ada@example.org', type: 'work', primary: true }],
      roles: [{ value: 'writer' }],
      [enterprise]: { department: 'Research' },
    });
    expect(schemas).toContain(enterprise);
  });

  it('links its groups by their present names', () => {
    const id = newUuid();
    const value = encodeId('group', id);
    expect(presentUser({ ...user, groups: ['Crew'] }, [{ id, name: 'Staff' }], base).attributes.groups).toEqual([
      { value, $ref: `${base}/Groups/${value}`, display: 'Staff' },
    ]);
  });

  it('has another version after each change, and the same one without a change', () => {
    expect(presentedUser({}).version).toMatch(/^W\/"[\w-]{22}"$/);
    expect(presentedUser({}).version).toBe(presentedUser({}).version);
    expect(presentedUser({ display_name: 'Ada K.' }).version).not.toBe(presentedUser({}).version);
    expect(presentedUser({ updated_at: 'later' }).version).not.toBe(presentedUser({}).version);
  });

  it('is named by its user principal name, its address or its external id', () => {
    const all = { ...user, user_principal_name: 'upn', email: 'mail' };
    expect(userNameOf(all)).toBe('upn');
    expect(userNameOf({ ...user, email: 'mail' })).toBe('mail');
    expect(userNameOf(user)).toBe('e1');
  });
});

describe('a group as a SCIM resource', () => {
  const row = { id: newUuid(), name: 'Staff', createdAt: new Date('2026-11-01') } as unknown as GroupRow;
  const id = encodeId('group', row.id);

  it('has no members unless the client has requested them', () => {
    expect(presentGroup(row, undefined, base)).toMatchObject({ id, attributes: { displayName: 'Staff' } });
    expect(presentGroup(row, undefined, base).attributes).not.toHaveProperty('members');
  });

  it('links its members', () => {
    const { attributes } = presentGroup(row, [{ id: 'usr_1', display_name: 'Ada' }], base);
    expect(attributes.members).toEqual([{ value: 'usr_1', $ref: `${base}/Users/usr_1`, display: 'Ada', type: 'User' }]);
    expect(attributes.meta).toMatchObject({ resourceType: 'Group', location: `${base}/Groups/${id}` });
  });

  it('reduced to an attribute still has its id and schemas', () => {
    const group = presentGroup(row, [], base);
    expect(reduced(group, { only: ['displayname'] })).toEqual({ id, schemas: group.schemas, displayName: 'Staff' });
  });
});

describe('filters:', () => {
  const uuid = newUuid();
  const user = encodeId('user', uuid);
  const group = encodeId('group', uuid);

  /** Returns the detail of the refusal. */
  function refusal(kind: 'User' | 'Group', text: string): string {
    try {
      return JSON.stringify(readCriteria(kind, text));
    } catch (error) {
      return (error as Error).message;
    }
  }

  describe('a filter of SCIM users', () => {
    it.each([
      [undefined, {}],
      ['  ', {}],
      [`id eq "${user}"`, { id: uuid }],
      ['id eq "nonsense"', { id: '' }],
      ['userName eq "ann"', { userName: 'ann' }],
      ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann"', { userName: 'ann' }],
      ['emails eq "a@x.org"', { email: 'a@x.org' }],
      ['emails.value eq "a@x.org"', { email: 'a@x.org' }],
      ['emails[value eq "a@x.org"]', { email: 'a@x.org' }],
      ['externalId eq "7"', { externalId: '7' }],
      [String.raw`userName eq "CORP\\ann"`, { userName: String.raw`CORP\ann` }],
      [String.raw`emails[value eq "\u0061@x.org"]`, { email: 'a@x.org' }],
      [`groups.value eq "${group}"`, { groupId: uuid }],
      ['active eq true', { active: true }],
      ['meta.lastModified ge "2026-01-31T12:00:00Z"', { since: new Date('2026-01-31T12:00:00.000Z') }],
      ['meta.lastModified gt "2026-01-31T12:00:00Z"', { since: new Date('2026-01-31T12:00:00.001Z') }],
      ['active eq true and userName eq "ann"', { active: true, userName: 'ann' }],
    ])('%s is %j', (text, criteria) => {
      expect(readCriteria('User', text)).toEqual(criteria);
    });

    it.each([
      'userName co "ann"',
      'active eq false',
      'userName eq 7',
      'title eq "Lead"',
      'userName eq "a" or userName eq "b"',
      'userName eq "a" and userName eq "b"',
      'not (userName eq "a")',
      'meta.lastModified lt "2026-01-31T12:00:00Z"',
      'emails[type eq "work"]',
      'emails[value eq "a" and type eq "work"]',
      'title pr',
    ])('is refused with the supported ones: %s', (text) => {
      expect(refusal('User', text)).toMatch(
        /^filter may have id, userName, emails\.value, .* joined by and, each once$/,
      );
    });

    it('has an id only alone, a bounded length and a date-time', () => {
      expect(refusal('User', `id eq "${user}" and active eq true`)).toMatch(/id only alone$/);
      expect(refusal('User', `userName eq "${'a'.repeat(5_000)}"`)).toBe('filter must have at most 4096 characters');
      const longest = `userName eq "${'a'.repeat(4_096 - 'userName eq ""'.length)}"`;
      expect(readCriteria('User', longest)).toHaveProperty('userName');
      expect(refusal('User', `${longest} `)).toBe('filter must have at most 4096 characters');
      for (const time of ['yesterday', '2026-13-31T12:00:00Z', 'Tue, 2026-10-31T12:00:00Z', '+002026-01-31T12:00:00Z'])
        expect(refusal('User', `meta.lastModified gt "${time}"`)).toMatch(/must be compared with a date-time$/);
    });
  });

  describe('a filter of SCIM groups', () => {
    it('is an id or a name', () => {
      expect(readCriteria('Group', `id eq "${group}"`)).toEqual({ id: uuid });
      expect(readCriteria('Group', 'displayName eq "Sales"')).toEqual({ displayName: 'Sales' });
    });

    it.each(['userName eq "ann"', 'displayName sw "S"', 'displayName eq true'])('is refused otherwise: %s', (text) => {
      expect(refusal('Group', text)).toBe('filter may have id or displayName with eq, each once');
    });
  });
});

const position = { createdAt: 1_700_000_000_000, id: newUuid() };

describe('the page of a SCIM list', () => {
  it('begins at the first resource with the default count', () => {
    expect(readPage({})).toEqual({ limit: defaultPage, offset: 0, byCursor: false });
  });

  it.each([
    ['-1', 0],
    ['0', 0],
    ['1', 1],
    [String(largestPage), largestPage],
    [String(largestPage + 1), largestPage],
  ])('has for count=%s at most %d resources', (count, limit) => {
    expect(readPage({ count }).limit).toBe(limit);
  });

  it.each([
    ['-1', 0],
    ['0', 0],
    ['1', 0],
    ['2', 1],
  ])('begins for startIndex=%s at offset %d', (startIndex, offset) => {
    expect(readPage({ startIndex }).offset).toBe(offset);
  });

  it('of a filtered list ends at the largest offset, beyond which a cursor is needed', () => {
    const last = requests.maxChangesOffset + 1;
    const filter = 'active eq true';
    expect(readPage({ filter, startIndex: String(last) }).offset).toBe(requests.maxChangesOffset);
    expect(() => readPage({ filter, startIndex: String(last + 1) })).toThrow(
      `startIndex must be at most ${last} with a filter: use cursor`,
    );
    expect(readPage({ startIndex: String(last + 1) }).offset).toBe(last);
  });

  it('by cursor begins after its position, or at the beginning for an empty one', () => {
    expect(readPage({ cursor: writeCursor(position), startIndex: '5' })).toEqual({
      limit: defaultPage,
      offset: 0,
      after: position,
      byCursor: true,
    });
    expect(readPage({ cursor: '' })).toMatchObject({ offset: 0, byCursor: true });
    expect(readPage({ cursor: '' }).after).toBeUndefined();
  });

  it('with an invalid cursor is refused as a SCIM error', () => {
    expect(() => readPage({ cursor: 'no cursor' })).toThrow(ScimError);
  });
});

describe('the response with a page', () => {
  const found = { items: [], total: 9, next: position };

  it('by index has the total and the index of its first resource', () => {
    const page = { limit: 2, offset: 4, byCursor: false };
    const response = pageResponse([{ id: 'a' }], found, page);
    expect(response).toMatchObject({ totalResults: 9, startIndex: 5, itemsPerPage: 1, Resources: [{ id: 'a' }] });
    expect(response).not.toHaveProperty('nextCursor');
  });

  it('by index has a total beyond its last resource while more may follow', () => {
    const page = { limit: 1, offset: 200, byCursor: false };
    const many = { ...found, total: 200, isEstimate: true };
    expect(pageResponse([{ id: 'a' }], many, page)).toMatchObject({ totalResults: 202 });
    expect(pageResponse([{ id: 'a' }], { ...many, next: undefined }, page)).toMatchObject({ totalResults: 200 });
  });

  it('by index is refused if it ended before its count after all that one request examines', () => {
    const page = { limit: 2, offset: 0, byCursor: false };
    const cut = { ...found, total: 1, isEstimate: true };
    expect(() => pageResponse([{ id: 'a' }], cut, page)).toThrow(ScimError);
    expect(pageResponse([{ id: 'a' }], cut, { ...page, byCursor: true })).toHaveProperty('nextCursor');
  });

  it('by cursor has no index, and the next cursor unless it is the last page', () => {
    const page = { limit: 2, offset: 0, byCursor: true };
    const response = pageResponse([{ id: 'a' }], found, page);
    expect(response).toMatchObject({ totalResults: 9, nextCursor: writeCursor(position) });
    expect(response).not.toHaveProperty('startIndex');
    expect(pageResponse([], { items: [], total: 9 }, page)).not.toHaveProperty('nextCursor');
  });
});
