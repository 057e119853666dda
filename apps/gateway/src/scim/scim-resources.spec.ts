import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resourceTypes } from './discovery.js';
import { selected } from './present-resource.js';
import { largestDocument, maxValues } from './scim-bounds.js';
import { documentOf, nameIn } from './scim-document.js';
import { ValueList } from './value-list.js';

it('SCIM users may have the attributes of the enterprise extension, and groups have no extension', () => {
  const types = resourceTypes('https://idsync.example/scim/v2/con_1');
  expect([...types.values()]).toMatchObject([
    {
      id: 'User',
      endpoint: '/Users',
      schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
      schemaExtensions: [{ schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false }],
      meta: { location: 'https://idsync.example/scim/v2/con_1/ResourceTypes/User' },
    },
    { id: 'Group', endpoint: '/Groups', schemaExtensions: [] },
  ]);
});

describe('the selection of attributes:', () => {
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const ada = {
    userName: 'ada',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [
      { value: 'ada@work.example', type: 'work' },
      { value: 'ada@home.example', type: 'home' },
    ],
    nickNames: ['a', 'b'],
    [enterprise]: { department: 'Engines', costCenter: '7' },
  };
  const emails = (parts: object[]) => ({ emails: parts });
  const values = emails([{ value: 'ada@work.example' }, { value: 'ada@home.example' }]);
  const types = emails([{ type: 'work' }, { type: 'home' }]);
  const without = (left: string) => Object.fromEntries(Object.entries(ada).filter(([name]) => name !== left));

  it.each([
    [{}, ada],
    [{ only: ['username'] }, { userName: 'ada' }],
    [{ only: ['name.givenname'] }, { name: { givenName: 'Ada' } }],
    [{ only: ['emails.value'] }, values],
    [{ only: ['emails.value', 'emails'] }, emails(ada.emails)],
    [{ only: ['nicknames.value'] }, { nickNames: ['a', 'b'] }],
    [{ only: [`${enterprise.toLowerCase()}:department`] }, { [enterprise]: { department: 'Engines' } }],
    [{ only: ['title'] }, {}],
    [{ without: ['username'] }, without('userName')],
    [{ without: ['emails.value'] }, { ...ada, ...types }],
    [{ without: ['emails.type'] }, { ...ada, ...values }],
    [{ without: ['email'] }, ada],
    [{ without: [`${enterprise.toLowerCase()}:costcenter`] }, { ...ada, [enterprise]: { department: 'Engines' } }],
  ])('the attributes of a SCIM resource are reduced to the selection %j', (selection, expected) => {
    expect(selected(ada, selection)).toEqual(expected);
  });
});

describe('a stored SCIM resource', () => {
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const user = (more: object) => documentOf('User', { userName: 'ada', ...more });

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

  it('has attributes without a schema as they were given', () => {
    const given = { shoeSize: 7, name: { givenName: 'Ada', nick: ['A'] }, [enterprise]: { badge: { id: 1 } } };
    expect(user({ ...given, nothing: null, none: [] })).toEqual({ userName: 'ada', ...given });
  });

  it('has no read-only attribute, no password, and no members, which are stored apart', () => {
    expect(user({ ID: '1', meta: {}, groups: [{ value: 'g' }], password: 'secret', schemas: [] })).toEqual({
      userName: 'ada',
    });
    expect(documentOf('Group', { displayName: 'Staff', members: [{ value: 'a' }] })).toEqual({ displayName: 'Staff' });
    expect(user({ [enterprise]: { manager: { value: 'm', displayName: 'Meg' } } })).toEqual({
      userName: 'ada',
      [enterprise]: { manager: { value: 'm' } },
    });
  });

  it('has the attributes under the URN of its schema as its own', () => {
    const core = 'urn:ietf:params:scim:schemas:core:2.0';
    const given = { Title: 'Head', id: '1', meta: {}, groups: [], password: 'secret', badge: 7 };
    const ada = { userName: 'ada', title: 'Head', badge: 7 };
    expect(user({ [`${core}:USER`]: given })).toEqual(ada);
    expect(user({ [`${core}:User`]: { [`${core}:User`]: given } })).toEqual(ada);
    expect(user({ [`${core}:User`]: null })).toEqual({ userName: 'ada' });
    expect(() => user({ [`${core}:User`]: 'x' })).toThrow(`${core}:User must be an object`);
    const staff = { displayName: 'Staff', members: [{ value: 'a' }] };
    expect(documentOf('Group', { [`${core}:Group`]: staff })).toEqual({ displayName: 'Staff' });
  });

  it('has no password at any depth', () => {
    const secret = { PassWord: 'secret' };
    expect(
      user({ [enterprise]: { ...secret, id: '1', meta: {}, groups: [] }, name: secret, emails: [secret] }),
    ).toEqual({
      userName: 'ada',
    });
    const parts = { a: [{ ...secret, b: secret }] };
    const kept = { a: [{ b: {} }] };
    expect(user({ custom: parts, 'urn:acme:Badge': { ...secret, parts }, emails: [{ value: 'x', parts }] })).toEqual({
      userName: 'ada',
      custom: kept,
      'urn:acme:Badge': { parts: kept },
      emails: [{ value: 'x', parts: kept }],
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

describe('the values of a SCIM attribute', () => {
  interface Value {
    value?: string;
    type?: string;
    display?: string;
  }

  /** The rule without an index. */
  function same(a: Value, b: Value): boolean {
    if (a.value === undefined || b.value === undefined) return isDeepStrictEqual(a, b);
    return a.value === b.value && (a.type === undefined || b.type === undefined || a.type === b.type);
  }

  function added(before: readonly Value[], values: readonly Value[]): Value[] {
    const list = [...before];
    for (const value of values) {
      const at = list.findIndex((there) => same(there, value));
      if (at < 0) list.push(value);
      else list[at] = { ...list[at], ...value };
    }
    return list;
  }

  const few = fc.constantFrom('a', 'b');
  const values = fc.array(
    fc.record({ value: few, type: few, display: few }, { requiredKeys: [], noNullPrototype: true }),
    { maxLength: 12 },
  );

  it('are added and found with the same result as a linear search', () => {
    fc.assert(
      fc.property(values, values, (before, more) => {
        const list = new ValueList(before);
        for (const value of more) list.add(value);
        expect(list.toArray()).toEqual(added(before, more));
        for (const value of more) {
          expect(new ValueList(before).has(value)).toBe(before.some((there) => same(there, value)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are equal regardless of the order of their names, and may be plain text', () => {
    const list = new ValueList([{ type: 'home', locality: 'London' }, 'x']);
    expect(list.has({ locality: 'London', type: 'home' })).toBe(true);
    expect([list.has('x'), list.has('y')]).toEqual([true, false]);
    list.add('x');
    expect(list.toArray()).toHaveLength(2);
  });
});
