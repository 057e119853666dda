import { describe, expect, it } from '@jest/globals';
import { largestDocument, maxValues } from './scim-bounds.js';
import { documentOf, nameIn } from './scim-document.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const user = (more: object) => documentOf('User', { userName: 'ada', ...more });

describe('a stored SCIM resource', () => {
  it('has the standard names and types of its attributes', () => {
    const given = { USERNAME: 'ada', Active: 'False', title: 7, Emails: { VALUE: 'a@x.org', primary: 'True' } };
    expect(documentOf('User', given)).toEqual({
      userName: 'ada',
      active: false,
      title: '7',
      emails: [{ value: 'a@x.org', primary: true }],
    });
    expect(nameIn('User', documentOf('User', given))).toBe('ada');
    expect(nameIn('Group', documentOf('Group', { displayName: 'Staff' }))).toBe('Staff');
  });

  it('has no read-only or unknown attribute, no password, and no members, which are stored apart', () => {
    expect(user({ id: '1', meta: {}, groups: [{ value: 'g' }], password: 'secret', shoeSize: 7 })).toEqual({
      userName: 'ada',
    });
    expect(documentOf('Group', { displayName: 'Staff', members: [{ value: 'a' }] })).toEqual({ displayName: 'Staff' });
    expect(user({ [enterprise]: { manager: { value: 'm', displayName: 'Meg' } } })).toEqual({
      userName: 'ada',
      [enterprise]: { manager: { value: 'm' } },
    });
  });

  it('has no attribute without a value', () => {
    const empty = { title: null, name: { givenName: null }, emails: [], roles: [null, ''], manager: undefined };
    expect(user({ ...empty, [enterprise]: { department: null }, 'urn:acme:Badge': null })).toEqual({ userName: 'ada' });
    expect(user({ 'urn:acme:Badge': { colour: 'red', size: null } })).toEqual({
      userName: 'ada',
      'urn:acme:Badge': { colour: 'red' },
    });
  });

  it('has one primary value, the last one', () => {
    const emails = [{ value: 'a', primary: true }, { value: 'b', primary: true }, { value: 'c' }];
    expect(user({ emails }).emails).toEqual([
      { value: 'a', primary: false },
      { value: 'b', primary: true },
      { value: 'c' },
    ]);
  });

  it.each<[string, object, string]>([
    ['two values for one', { title: ['a', 'b'] }, 'title must be one value'],
    ['an object for text', { title: {} }, 'title must be text'],
    ['a list in a list', { emails: [[]] }, 'emails must be an object'],
    ['text for an object without a value', { name: 'Ada' }, 'name must be an object'],
    ['an unclear boolean', { active: 1 }, 'active must be true or false'],
    ['text for an extension', { [enterprise]: 'x' }, `${enterprise} must be an object`],
    ['a list for an extension', { 'urn:acme:Badge': [] }, 'urn:acme:Badge must be an object'],
    ['an object as its name', { userName: {} }, 'userName must be text'],
    ['no name', { userName: null }, 'userName is required'],
    ['spaces as its name', { userName: '  ' }, 'userName is required'],
    ['an empty external id', { externalId: ' ' }, 'externalId is required'],
    ['NUL in a value', { title: 'a\0' }, 'NUL or an unpaired surrogate'],
    ['half a character', { title: '\ud800' }, 'NUL or an unpaired surrogate'],
    ['NUL in a name of an extension', { 'urn:acme:Badge': { 'a\0': 1 } }, 'NUL or an unpaired surrogate'],
  ])('is rejected with %s', (_what, given, words) => {
    expect(() => user(given)).toThrow(words);
  });

  it('has a name and an external id of at most 1024 bytes', () => {
    expect(user({ userName: 'ä'.repeat(512), externalId: 'x'.repeat(1_024) }).externalId).toHaveLength(1_024);
    expect(() => user({ userName: 'ä'.repeat(513) })).toThrow('userName must have at most 1024 bytes');
    expect(() => user({ externalId: 'x'.repeat(1_025) })).toThrow('externalId must have at most 1024 bytes');
  });

  it('is nested at most 8 levels deep', () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
    expect(Object.keys(user({ 'urn:acme:Badge': nested(7) }))).toHaveLength(2);
    expect(() => user({ 'urn:acme:Badge': nested(8) })).toThrow('nested at most 8 levels deep');
  });

  it('has a limited number of values, and a limited size', () => {
    // The resource, its name, the extension and its list count as values, too.
    const values = (count: number) => ({ 'urn:acme:Badge': { list: Array.from({ length: count }, () => null) } });
    expect(Object.keys(user(values(maxValues - 4)))).toHaveLength(2);
    expect(() => user(values(maxValues - 3))).toThrow(`at most ${maxValues} values`);
    const bytes = JSON.stringify(user({ title: '' })).length;
    expect(user({ title: 'x'.repeat(largestDocument - bytes) }).title).toHaveLength(largestDocument - bytes);
    expect(() => user({ title: 'x'.repeat(largestDocument - bytes + 1) })).toThrow('at most 256 KiB');
  });
});
