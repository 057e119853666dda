import { describe, expect, it } from '@jest/globals';
import { applyPatch, readPatch } from './scim-patch.js';

const work = { value: 'ada@work.example', type: 'work' };
const home = { value: 'ada@home.example', type: 'home' };
const person = {
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Byron', honorificPrefix: 'Lady' },
  emails: [work, home],
};

function patched(operation: object, before: Record<string, unknown> = person) {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  return applyPatch('User', before, readPatch('User', { schemas, Operations: [operation] }).operations);
}

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('the path of a SCIM PATCH', () => {
  it('names attributes in any case', () => {
    expect(patched({ op: 'replace', path: 'NAME.GIVENNAME', value: 'Augusta' }).name).toEqual({
      ...person.name,
      givenName: 'Augusta',
    });
    const managed = patched({ op: 'add', path: 'DEPARTMENT', value: 'Engines' });
    expect(managed[enterprise]).toEqual({ department: 'Engines' });
    expect(patched({ op: 'add', path: 'PASSWORD', value: 'secret' })).toEqual(person);
  });

  it.each(['1title', '!title', ' .title', 'title!', '[type eq "work"]', 'ToString', 'name.CONSTRUCTOR'])(
    'is rejected if it is %s',
    (path) => {
      expect(() => patched({ op: 'add', path, value: 'x' })).toThrow('is not a path such as');
    },
  );
});

describe('the operation of a SCIM PATCH', () => {
  it.each(['move', '', 'addd', 5])('is rejected if it is %j', (op) => {
    expect(() => patched({ op, path: 'title', value: 'x' })).toThrow('op must be add, remove or replace');
  });
});

describe('a SCIM PATCH of one value of a list', () => {
  it.each([
    ['an object', { value: work.value }],
    ['a list', [{ value: work.value }]],
    ['the whole value', work],
  ])('removes the value given as %s and keeps the others', (_, value) => {
    expect(patched({ op: 'remove', path: 'emails', value })).toEqual({ ...person, emails: [home] });
  });

  it('removes nothing by a value that is not in the list', () => {
    expect(patched({ op: 'remove', path: 'emails', value: { value: 'other@x.org' } })).toEqual(person);
  });

  it('removes all values without a value, and those that match a filter', () => {
    expect(patched({ op: 'remove', path: 'emails' })).not.toHaveProperty('emails');
    expect(patched({ op: 'remove', path: 'emails[type eq "work"]' }).emails).toEqual([home]);
  });

  it('removes a part of the values that match a filter, and keeps the other values', () => {
    expect(patched({ op: 'remove', path: 'emails[type eq "work"].type' }).emails).toEqual([
      { value: work.value },
      home,
    ]);
  });

  it('removes a part that is replaced by null', () => {
    expect(patched({ op: 'replace', path: 'emails[type eq "work"].value', value: null }).emails).toEqual([
      { type: 'work' },
      home,
    ]);
    expect(patched({ op: 'replace', path: 'name.givenName', value: null }).name).toEqual({
      familyName: 'Byron',
      honorificPrefix: 'Lady',
    });
  });

  it('is rejected if no value matches and the filter implies none', () => {
    const operation = { op: 'add', path: 'emails[shoeSize eq "7"].value', value: 'x' };
    expect(() => patched(operation)).toThrow('emails must be an object');
  });

  it('treats equal values of different types as two values', () => {
    const asHome = { value: work.value, type: 'home' };
    expect(patched({ op: 'add', path: 'emails', value: asHome }).emails).toEqual([work, home, asHome]);
    expect(patched({ op: 'remove', path: 'emails', value: asHome }).emails).toEqual([work, home]);
  });

  it('merges an equal value of the same type, or without a type', () => {
    for (const value of [
      { ...work, primary: true },
      { value: work.value, primary: true },
    ]) {
      expect(patched({ op: 'add', path: 'emails', value }).emails).toEqual([{ ...work, primary: true }, home]);
    }
  });
});

describe('a SCIM PATCH of a complex attribute', () => {
  it.each([
    ['its path', { path: 'name.givenName', value: 'Augusta' }],
    ['an object with this part only', { path: 'name', value: { givenName: 'Augusta' } }],
    ['an object without a path', { value: { name: { givenName: 'Augusta' } } }],
  ])('replaces one part by %s and keeps the other parts', (_, operation) => {
    const expected = { ...person, name: { ...person.name, givenName: 'Augusta' } };
    expect(patched({ op: 'replace', ...operation })).toEqual(expected);
    expect(patched({ op: 'add', ...operation })).toEqual(expected);
  });

  it('removes one part and keeps the other parts', () => {
    expect(patched({ op: 'remove', path: 'name.honorificPrefix' }).name).toEqual({
      givenName: 'Ada',
      familyName: 'Byron',
    });
  });
});
