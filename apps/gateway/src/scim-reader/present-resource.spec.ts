import { encodeId, newUuid, type responses } from '@idsync/contracts';
import { type GroupRow, groupIdOf } from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { presentGroup, presentUser, reduced, userNameOf } from './present-resource.js';

const base = 'https://idsync.example.org/scim/v2';
const connectorId = newUuid();
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
const presentedUser = (changes: object, source: string | undefined = connectorId) =>
  presentUser({ ...user, ...changes }, source, base);

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

  it('links its groups in the source of the user, unless the source is unknown', () => {
    const value = encodeId('group', groupIdOf(connectorId, 'Staff'));
    expect(presentedUser({ groups: ['Staff'] }).attributes.groups).toEqual([
      { value, $ref: `${base}/Groups/${value}`, display: 'Staff' },
    ]);
    expect(presentUser({ ...user, groups: ['Staff'] }, undefined, base).attributes.groups).toEqual([
      { display: 'Staff' },
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
