import { describe, expect, it } from '@jest/globals';
import { parsePath } from './scim-path.js';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('a path of a SCIM PATCH', () => {
  it.each([
    ['displayName', { name: 'displayName' }],
    ['DISPLAYNAME', { name: 'displayName' }],
    [' Name.GivenName ', { name: 'name', sub: 'givenName' }],
    [`${core}:userName`, { name: 'userName' }],
    [`${core.toUpperCase()}:name.familyName`, { name: 'name', sub: 'familyName' }],
    [`${enterprise}:DEPARTMENT`, { urn: enterprise, name: 'department' }],
    [`${enterprise.toLowerCase()}:manager.value`, { urn: enterprise, name: 'manager', sub: 'value' }],
    [enterprise, { urn: enterprise }],
    ['manager', { urn: enterprise, name: 'manager' }],
    ['Manager', { urn: enterprise, name: 'manager' }],
    ['urn:acme:2.0:Badge:colour.shade', { urn: 'urn:acme:2.0:Badge', name: 'colour', sub: 'shade' }],
  ])('%j is found regardless of case', (text, expected) => {
    const { attribute: _attribute, ...path } = parsePath('User', text) ?? {};
    expect(path).toEqual(expected);
  });

  it('may select values by a filter, also in an unknown extension', () => {
    expect(parsePath('User', 'emails[type eq "work"].value')).toMatchObject({
      name: 'emails',
      sub: 'value',
      filter: { op: 'eq', attrPath: 'type', compValue: 'work' },
    });
    expect(parsePath('User', 'urn:acme:Badge:marks[key eq "a:b.c"].value')).toMatchObject({
      urn: 'urn:acme:Badge',
      name: 'marks',
      sub: 'value',
    });
  });

  it.each(['id', 'Meta', 'schemas', 'GROUPS', 'password', `${core}:id`, 'manager.displayName'])(
    'is ignored for %s',
    (text) => {
      expect(parsePath('User', text)).toBeUndefined();
    },
  );

  it.each([
    'shoeSize',
    'name.nick',
    'name.Constructor',
    'Prototype',
    'urn:acme:Badge:toString',
    'name..givenName',
    '',
    `${enterprise}:id`,
    `${enterprise}:shoeSize`,
    core,
  ])('is rejected for %j', (text) => {
    expect(() => parsePath('User', text)).toThrow(/is not (a path|an attribute|a sub-attribute)/);
  });

  it('has at most 1024 characters', () => {
    expect(parsePath('User', `urn:x:${'a'.repeat(1_018)}`)?.name).toHaveLength(1_018);
    expect(() => parsePath('User', `urn:x:${'a'.repeat(1_019)}`)).toThrow('path must have at most 1024 characters');
  });

  it('of a group has no attributes of users', () => {
    expect(parsePath('Group', 'members')?.name).toBe('members');
    expect(() => parsePath('Group', 'manager')).toThrow('"manager" is not an attribute of a Group');
  });
});
