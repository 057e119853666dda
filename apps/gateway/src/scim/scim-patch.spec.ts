import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ScimError } from './scim-error.js';
import { applyPatch, readPatch } from './scim-patch.js';
import { parsePath, type ScimPath } from './scim-path.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const person = {
  userName: 'ada@example.com',
  displayName: 'Ada',
  active: true,
  name: { givenName: 'Ada', familyName: 'Byron' },
  [enterprise]: { department: 'Mathematics' },
};

function patched(operations: object[], before: Record<string, unknown> = person) {
  const { operations: read } = readPatch('User', patchOf(operations));
  return applyPatch('User', before, read);
}

const patchOf = (Operations: unknown) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was rejected');
}

describe('a SCIM PATCH of Entra ID', () => {
  it('accepts "True" and "False" as text, and operation names in any case', () => {
    expect(patched([{ op: 'Replace', path: 'active', value: 'False' }])).toEqual({ ...person, active: false });
    expect(patched([{ op: 'Add', path: 'ACTIVE', value: 'True' }])).toEqual(person);
  });

  it('adds a value of a new type, and changes the value of an existing type', () => {
    const added = patched([{ op: 'Add', path: 'emails[type eq "work"].value', value: 'ada@work.example' }]);
    expect(added.emails).toEqual([{ type: 'work', value: 'ada@work.example' }]);
    const changed = patched(
      [{ op: 'Replace', path: 'emails[type eq "Work"].value', value: 'new@work.example' }],
      added,
    );
    expect(changed.emails).toEqual([{ type: 'work', value: 'new@work.example' }]);
    const place = patched([
      { op: 'Replace', path: 'addresses[type eq "work"].streetAddress', value: '1 Main St' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'London' },
    ]);
    expect(place.addresses).toEqual([{ type: 'work', streetAddress: '1 Main St', locality: 'London' }]);
  });

  it('selects the primary role by "True", also when repeated', () => {
    const role = (value: string) => [{ op: 'Replace', path: 'roles[primary eq "True"].value', value }];
    const first = patched(role('admin'));
    expect(first.roles).toEqual([{ primary: true, value: 'admin' }]);
    expect(patched(role('reader'), first).roles).toEqual([{ primary: true, value: 'reader' }]);
  });

  it('sets attributes of the enterprise extension by URN, and a manager by its plain id', () => {
    const moved = patched([
      { op: 'Add', path: `${enterprise}:department`, value: 'Engines' },
      { op: 'Replace', path: `${enterprise}:manager`, value: 'scr_charles' },
    ]);
    expect(moved[enterprise]).toEqual({ department: 'Engines', manager: { value: 'scr_charles' } });
    const alone = patched([{ op: 'Remove', path: `${enterprise}:manager` }], moved);
    expect(alone[enterprise]).toEqual({ department: 'Engines' });
  });

  it('leaves unnamed attributes of the extension unchanged', () => {
    const before = { ...person, [enterprise]: { department: 'Mathematics', employeeNumber: '7' } };
    const value = { department: 'Sales' };
    for (const operation of [
      { op: 'replace', value: { [enterprise]: value } },
      { op: 'Add', path: enterprise, value },
    ]) {
      expect(patched([operation], before)[enterprise]).toEqual({ department: 'Sales', employeeNumber: '7' });
    }
    const both = { [`${enterprise}:department`]: 'Sales', [enterprise]: { costCenter: '9' } };
    expect(patched([{ op: 'replace', value: both }], before)[enterprise]).toEqual({
      department: 'Sales',
      employeeNumber: '7',
      costCenter: '9',
    });
    expect(patched([{ op: 'remove', path: enterprise }], before)).not.toHaveProperty([enterprise]);
  });

  it('accepts a manager as a list of one, also without the schema, and ignores its display name', () => {
    const value = [{ $ref: 'http://x/Users/scr_charles', value: 'scr_charles', displayName: 'Charles' }];
    for (const path of ['manager', `${enterprise}:manager`]) {
      expect(patched([{ op: 'Add', path, value }])[enterprise]).toEqual({
        department: 'Mathematics',
        manager: { value: 'scr_charles', $ref: 'http://x/Users/scr_charles' },
      });
    }
    const named = patched([{ op: 'Add', path: 'manager', value }]);
    expect(patched([{ op: 'Replace', path: `${enterprise}:manager`, value: '' }], named)).toEqual(person);
  });

  it('may use paths as names of a value without a path', () => {
    const value = { 'name.familyName': 'Lovelace', [`${enterprise}:department`]: 'Engines', displayName: 'Ada L.' };
    expect(patched([{ op: 'Add', value }])).toEqual({
      ...person,
      displayName: 'Ada L.',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      [enterprise]: { department: 'Engines' },
    });
  });

  // https://learn.microsoft.com/entra/identity/app-provisioning/customize-application-attributes, AppRoleAssignmentsComplex
  it('unwraps the JSON in which roles are sent', () => {
    const text = (id: string, value: string) => JSON.stringify({ id, value, displayName: `Role ${value}` });
    const add = (...values: string[]) => ({ op: 'Add', path: 'roles', value: values.map((value) => ({ value })) });
    const both = patched([add(text('06b07648', '25'), text('1a2b3c4d', '26'))]);
    expect(both.roles).toEqual([
      { value: '25', display: 'Role 25' },
      { value: '26', display: 'Role 26' },
    ]);
    expect(patched([{ ...add(text('06b07648', '25')), op: 'Remove' }], both).roles).toEqual([
      { value: '26', display: 'Role 26' },
    ]);
    const others = ['{"value":7}', '{', '{}', '[{"value":"x"}]'];
    expect(patched([add(...others)]).roles).toEqual(others.map((value) => ({ value })));
  });

  it('stores custom extensions', () => {
    const urn = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User';
    const tagged = patched([{ op: 'Add', path: `${urn}:tag`, value: 'blue' }]);
    expect(tagged[urn]).toEqual({ tag: 'blue' });
    expect(patched([{ op: 'Remove', path: `${urn}:tag` }], tagged)).toEqual(person);
  });
});

describe('a SCIM PATCH of a custom extension', () => {
  const urn = 'urn:ietf:params:scim:schemas:extension:acme:2.0:User';
  const before = { ...person, [urn]: { badge: 'old', roles: ['a', 'b', 'c'] } };
  const extension = (...operations: object[]) => patched(operations, before)[urn];

  // RFC 7644, section 3.5.2.1: an operation without a path has the attributes in its value; section 3.10: full URNs.
  it.each([
    ['without a path', { op: 'replace', value: { [urn]: { badge: 'new' } } }],
    ['by its URN', { op: 'add', path: urn, value: { badge: 'new' } }],
    ['by its URN in another case', { op: 'Replace', path: urn.toUpperCase(), value: { BADGE: 'new' } }],
    ['by the URN of an attribute', { op: 'replace', path: `${urn.toLowerCase()}:Badge`, value: 'new' }],
  ])('changes what is stored %s', (_, operation) => {
    expect(patched([operation], before)).toEqual({ ...person, [urn]: { badge: 'new', roles: ['a', 'b', 'c'] } });
  });

  it.each([urn, 'urn:acme:badge', 'urn:acme:badge:1.0', 'urn:acme:badge-1.0'])('creates %s as an object', (name) => {
    expect(patched([{ op: 'add', path: name, value: { badge: 'new' } }])).toEqual({
      ...person,
      [name]: { badge: 'new' },
    });
    const created = patched([{ op: 'replace', value: { [name]: { badge: 'new' } } }]);
    expect(created[name]).toEqual({ badge: 'new' });
    expect(patched([{ op: 'remove', path: name.toUpperCase() }], created)).toEqual(person);
  });

  it('distinguishes an object as an attribute by the extension that exists, or by its resource type', () => {
    const address = { street: 'Main St' };
    expect(extension({ op: 'add', path: `${urn}:address`, value: address })).toMatchObject({ address });
    expect(patched([{ op: 'add', path: `${urn}:address`, value: address }])[urn]).toEqual({ address });
    const badge = { ...person, 'urn:acme:badge': { colour: 'red' } };
    expect(patched([{ op: 'add', path: 'urn:acme:badge:address', value: address }], badge)).toEqual({
      ...person,
      'urn:acme:badge': { colour: 'red', address },
    });
  });

  // RFC 7643, section 2.4 and RFC 7644, section 3.5.2: a plain value is the sub-attribute `value`; `add` appends.
  it.each([
    [{ op: 'remove', path: `${urn}:roles[value eq "b"]` }, ['a', 'c']],
    [{ op: 'remove', path: `${urn}:roles[value eq "none"]` }, ['a', 'b', 'c']],
    [{ op: 'remove', path: `${urn}:roles`, value: ['b'] }, ['a', 'c']],
    [{ op: 'remove', path: `${urn}:roles`, value: [{ value: 'b' }] }, ['a', 'c']],
    [{ op: 'remove', path: `${urn}:roles[value ne "b"]` }, ['b']],
    [{ op: 'add', path: `${urn}:roles`, value: ['d', 'a'] }, ['a', 'b', 'c', 'd']],
    [{ op: 'add', path: `${urn}:roles`, value: 'd' }, ['a', 'b', 'c', 'd']],
    [{ op: 'add', path: `${urn}:roles`, value: [{ value: 'd' }] }, ['a', 'b', 'c', 'd']],
    [{ op: 'add', value: { [`${urn}:Roles`]: ['d'] } }, ['a', 'b', 'c', 'd']],
    [{ op: 'add', value: { [urn]: { Roles: ['d'] } } }, ['a', 'b', 'c', 'd']],
    [{ op: 'replace', path: urn, value: { ROLES: ['d'] } }, ['d']],
    [{ op: 'replace', path: `${urn}:roles[value eq "b"]`, value: 'x' }, ['a', 'x', 'c']],
    [{ op: 'replace', path: `${urn}:roles[value eq "b"].value`, value: 'x' }, ['a', 'x', 'c']],
    [{ op: 'replace', path: `${urn}:roles`, value: ['x'] }, ['x']],
  ])('treats a list of plain values as a list: %j', (operation, roles) => {
    expect(extension(operation)).toEqual({ badge: 'old', roles });
  });

  it('has no list that is removed with null', () => {
    expect(extension({ op: 'remove', path: `${urn}:roles`, value: null })).toEqual({ badge: 'old' });
  });

  it('has no list without values', () => {
    const all = { op: 'remove', path: `${urn}:roles`, value: ['a', 'b', 'c'] };
    expect(extension(all)).toEqual({ badge: 'old' });
    expect(extension({ op: 'replace', path: `${urn}:roles`, value: [] })).toEqual({ badge: 'old' });
  });

  it('appends objects to a list, and selects them by their parts', () => {
    const add = (key: string) => ({ op: 'add', path: `${urn}:marks`, value: [{ key, value: key }] });
    const marked = patched([add('x'), add('y')]);
    expect(marked[urn]).toEqual({ marks: ['x', 'y'].map((key) => ({ key, value: key })) });
    expect(patched([{ op: 'replace', path: `${urn}:marks[key eq "y"].value`, value: 'z' }], marked)[urn]).toEqual({
      marks: [
        { key: 'x', value: 'x' },
        { key: 'y', value: 'z' },
      ],
    });
  });
});

describe('a SCIM PATCH of an attribute without a schema', () => {
  it('is stored as given, and found again in any case', () => {
    const given = patched([
      { op: 'add', path: 'shoeSize', value: 7 },
      { op: 'add', value: { hobbies: ['chess'] } },
      { op: 'add', path: 'Hobbies', value: ['golf'] },
      { op: 'add', path: 'name.nick', value: 'Addie' },
      { op: 'add', path: `${enterprise}:badge`, value: '9' },
    ]);
    expect(given).toEqual({
      ...person,
      shoeSize: 7,
      hobbies: ['chess', 'golf'],
      name: { ...person.name, nick: 'Addie' },
      [enterprise]: { ...person[enterprise], badge: '9' },
    });
    const less = patched(
      [
        { op: 'remove', path: 'SHOESIZE' },
        { op: 'remove', path: 'hobbies' },
      ],
      given,
    );
    expect(
      patched(
        [
          { op: 'remove', path: 'name.Nick' },
          { op: 'remove', path: `${enterprise}:Badge` },
        ],
        less,
      ),
    ).toEqual(person);
  });
});

describe('a SCIM PATCH of Okta', () => {
  it('deactivates a user with a value without a path', () => {
    expect(patched([{ op: 'replace', value: { active: false } }])).toEqual({ ...person, active: false });
  });

  it('replaces lists as a whole', () => {
    const emails = [{ value: 'ada@example.com', primary: true, type: 'work' }];
    expect(patched([{ op: 'replace', path: 'emails', value: emails }]).emails).toEqual(emails);
    expect(patched([{ op: 'replace', value: { emails: [] } }], { ...person, emails })).toEqual(person);
  });

  it('renames a group with a value that contains its id', () => {
    const { operations, members } = readPatch(
      'Group',
      patchOf([{ op: 'replace', value: { id: 'scr_1', displayName: 'Engineers' } }]),
    );
    expect(applyPatch('Group', { displayName: 'Old' }, operations)).toEqual({ displayName: 'Engineers' });
    expect(members).toEqual([]);
  });
});

describe('members of a SCIM group', () => {
  const edits = (operations: object[]) => readPatch('Group', patchOf(operations)).members;

  it('are added, removed by value or by filter, and replaced', () => {
    expect(
      edits([
        {
          op: 'add',
          path: 'members',
          value: [
            { value: 'a', display: 'Ada' },
            { $ref: null, value: 'b' },
          ],
        },
        { op: 'remove', path: 'members[value eq "a"]' },
        { op: 'remove', path: 'members[value eq "b" or value eq "c"]' },
        { op: 'Remove', path: 'members', value: [{ $ref: null, value: 'd' }] },
        { op: 'replace', path: 'members', value: [{ value: 'e' }] },
        { op: 'Add', value: { members: [{ value: 'f' }] } },
        { op: 'remove', path: 'members' },
      ]),
    ).toEqual([
      { op: 'add', ids: ['a', 'b'] },
      { op: 'remove', ids: ['a'] },
      { op: 'remove', ids: ['b', 'c'] },
      { op: 'remove', ids: ['d'] },
      { op: 'replace', ids: ['e'] },
      { op: 'add', ids: ['f'] },
      { op: 'remove', ids: 'all' },
    ]);
  });

  it('are identified only by their value', () => {
    expect(refusal(() => edits([{ op: 'remove', path: 'members[display eq "Ada"]' }]))).toContain('400 invalidFilter');
    expect(refusal(() => edits([{ op: 'add', path: 'members', value: [{ display: 'Ada' }] }]))).toBe(
      '400 invalidValue: a member must have a value',
    );
    for (const member of [7, null, { value: 7 }, ['a']]) {
      expect(refusal(() => edits([{ op: 'add', path: 'members', value: [member] }]))).toBe(
        '400 invalidValue: a member must have a value',
      );
    }
    expect(refusal(() => edits([{ op: 'add', path: 'members.display', value: 'x' }]))).toContain('400 invalidPath');
    expect(refusal(() => edits([{ op: 'add', path: 'members[value eq "a"]', value: 'a' }]))).toBe(
      '400 invalidPath: members must be added by value, not by a filter',
    );
    expect(refusal(() => edits([{ op: 'remove', path: 'members[value co "a"]' }]))).toContain('400 invalidFilter');
    expect(refusal(() => edits([{ op: 'remove', path: 'members[value eq "a" and value eq "b"]' }]))).toContain(
      '400 invalidFilter',
    );
  });

  it('may be plain texts, one of them without a list, and null stands for none', () => {
    expect(
      edits([
        { op: 'add', path: 'members', value: ['a', 'b'] },
        { op: 'add', path: 'members', value: 'c' },
        { op: 'add', path: 'members', value: null },
        { op: 'replace', path: 'members' },
        { op: 'remove', path: 'members', value: null },
        { op: 'remove', path: 'members[VALUE eq "d"]' },
      ]),
    ).toEqual([
      { op: 'add', ids: ['a', 'b'] },
      { op: 'add', ids: ['c'] },
      { op: 'add', ids: [] },
      { op: 'replace', ids: [] },
      { op: 'remove', ids: 'all' },
      { op: 'remove', ids: ['d'] },
    ]);
  });
});

describe('a SCIM PATCH', () => {
  it('applies operations in order, each to the result of the previous one', () => {
    const after = patched([
      { op: 'add', path: 'emails', value: { value: 'a@example.com', type: 'work' } },
      { op: 'add', path: 'emails', value: [{ value: 'a@example.com', type: 'work' }, { value: 'b@example.com' }] },
      { op: 'replace', path: 'emails[value eq "b@example.com"].type', value: 'home' },
      { op: 'remove', path: 'emails[type eq "work"]' },
      { op: 'remove', path: 'title' },
    ]);
    expect(after.emails).toEqual([{ value: 'b@example.com', type: 'home' }]);
  });

  it('keeps only one primary value', () => {
    const one = { value: 'a', primary: true };
    const after = patched([{ op: 'add', path: 'emails', value: { value: 'b', primary: true } }], {
      ...person,
      emails: [one],
    });
    expect(after.emails).toEqual([
      { value: 'a', primary: false },
      { value: 'b', primary: true },
    ]);
  });

  it('never changes read-only attributes and never stores a password', () => {
    const given = { id: 'x', meta: { version: 'x' }, groups: [{ value: 'x' }], password: 'secret', schemas: ['x'] };
    expect(patched([{ op: 'replace', value: given }])).toEqual(person);
    expect(patched([{ op: 'replace', path: 'password', value: 'secret' }])).toEqual(person);
    expect(patched([{ op: 'add', value: { [enterprise]: given } }])).toEqual(person);
    for (const path of [`${enterprise}:Password`, 'name.password', 'urn:acme:badge:password'])
      expect(patched([{ op: 'add', path, value: 'secret' }])).toEqual(person);
  });

  // RFC 7644, section 3.5.2 and table 9.
  it.each([
    'id',
    'meta',
    'Meta.created',
    'groups',
    'groups[value eq "x"]',
    `${enterprise}:manager.displayName`,
    `${enterprise}:id`,
  ])('is rejected if it changes the read-only attribute %s by its path', (path) => {
    for (const op of ['add', 'replace', 'remove'])
      expect(refusal(() => patched([{ op, path, value: 'x' }]))).toBe(`400 mutability: ${path} is read-only`);
  });

  it('is rejected as a whole with a specific scimType if one operation is invalid', () => {
    const nonsense: [unknown, string][] = [
      [{}, '400 invalidSyntax: op must be add, remove or replace'],
      [{ op: {} }, '400 invalidSyntax: op must be add, remove or replace'],
      ['replace', '400 invalidSyntax: an operation must be an object'],
      [{ op: 'remove' }, '400 noTarget: path is required for remove'],
      [{ op: 'replace', value: 7 }, '400 invalidValue: value must be an object if path is absent'],
      [{ op: 'replace', path: 5, value: 7 }, '400 invalidPath: path must be text'],
      [{ op: 'replace', path: null, value: 7 }, '400 invalidValue: value must be an object if path is absent'],
      [{ op: 'add', path: 'title' }, '400 invalidValue: value is required for add'],
      [{ op: 'add', path: 'members' }, '400 invalidValue: value is required for add'],
      [{ op: 'replace', value: { 'a b': 7 } }, '400 invalidPath: "a b" is not a path'],
      [{ op: 'replace', path: 'emails[value eq "nope"].type', value: 'x' }, '400 noTarget'],
      [{ op: 'replace', path: 'emails[value eq "nope"]', value: { type: 'x' } }, '400 noTarget'],
      [{ op: 'replace', path: 'emails[type eq "x" and Value eq "nope"].type', value: 'x' }, '400 noTarget'],
      [{ op: 'replace', path: 'name[', value: 7 }, '400 invalidPath: "name["'],
      [{ op: 'replace', path: 'emails[type', value: 7 }, '400 invalidPath'],
      [{ op: 'replace', path: 'emails[type xx "work"].value', value: 7 }, '400 invalidFilter'],
      [{ op: 'replace', path: 'emails[type co "work"].value', value: 'x' }, '400 noTarget'],
      [{ op: 'replace', path: 'active', value: 'perhaps' }, '400 invalidValue: active must be true or false'],
      [{ op: 'replace', path: 'userName', value: '' }, '400 invalidValue: userName is required'],
      [{ op: 'remove', path: 'userName' }, '400 invalidValue: userName is required'],
      [{ op: 'replace', path: 'title', value: { a: 1 } }, '400 invalidValue: title must be text'],
      [{ op: 'replace', path: 'title', value: 'a\0b' }, '400 invalidValue: text must not contain NUL'],
    ];
    for (const [operation, words] of nonsense) {
      expect(refusal(() => patched([{ op: 'replace', path: 'title', value: 'x' }, operation as object]))).toContain(
        words,
      );
    }
    expect(refusal(() => readPatch('User', {}))).toContain('schemas must contain');
    expect(refusal(() => readPatch('User', patchOf([])))).toContain('Operations must be a non-empty list');
    const many = Array.from({ length: 1_001 }, () => ({ op: 'remove', path: 'title' }));
    expect(refusal(() => readPatch('User', patchOf(many)))).toContain('tooMany');
    const names = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`name${n}`, n]));
    expect(refusal(() => readPatch('User', patchOf([{ op: 'add', value: names }])))).toContain('tooMany');
  });

  const values = (count: number, of: string) => Array.from({ length: count }, (_, n) => ({ value: `${of}${n}` }));
  const emails = (count: number, of: string, op = 'add') => ({ op, path: 'emails', value: values(count, of) });

  it('adds and removes thousands of values without quadratic comparison', () => {
    const before = patched([emails(4_000, 'a')]);
    expect(before.emails).toHaveLength(4_000);
    expect(patched([emails(1_500, 'a'), emails(500, 'b')], before).emails).toHaveLength(4_500);
    expect(patched([emails(3_999, 'a', 'remove')], before).emails).toEqual([{ value: 'a3999' }]);
  });

  it('is rejected before it compares too many values', () => {
    expect(refusal(() => patched([emails(100_000, 'a')]))).toContain(
      'tooMany: the values of all operations must have at most 256 KiB',
    );
    const before = patched([emails(1_000, 'a')]);
    const adds = Array.from({ length: 60 }, (_, n) => emails(1, `b${n}`));
    expect(refusal(() => patched(adds, before))).toContain('tooMany: the operations must compare at most 50000 values');
    expect(patched(adds.slice(0, 40), before).emails).toHaveLength(1_040);
    const removeBy = (terms: number) => [
      { op: 'remove', path: `emails[${Array.from({ length: terms }, (_, n) => `value eq "a${n}"`).join(' or ')}]` },
    ];
    expect(patched(removeBy(50), before).emails).toHaveLength(950);
    expect(refusal(() => patched(removeBy(51), before))).toContain('tooMany');
    const terms = Array.from({ length: 60 }, (_, n) => `type co "${n}"`).join(' or ');
    const look = { op: 'remove', path: `emails[${terms}]` };
    expect(refusal(() => patched([look], before))).toContain(
      'tooMany: the operations must compare at most 50000 values',
    );
  });

  it('is rejected before it compares too many names', () => {
    const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`name${n}`, n]));
    const before = { ...person, 'urn:acme:badge': names };
    const operations = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ op: 'replace', path: `urn:acme:badge:NAME${n}`, value: 1 }));
    expect(patched(operations(200), before)['urn:acme:badge']).toMatchObject({ name0: 1, name199: 1, name200: 200 });
    expect(refusal(() => patched(operations(201), before))).toContain('must compare at most 50000 values');
  });

  it('is rejected before it rebuilds lists without a schema too often', () => {
    const urn = 'urn:acme:badge';
    const long = 'x'.repeat(10 * 1_024);
    const before = {
      ...person,
      tags: Array.from({ length: 9_000 }, (_, n) => `a${n}`),
      large: [Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`name${n}`, n]))],
      long: Array.from({ length: 20 }, () => long),
    };
    const inExtension = { ...person, [urn]: { tags: before.tags } };
    const spelt = Object.fromEntries(['tags', 'Tags', 'TAgs', 'TAGs', 'TAGS', 'tAGS'].map((name) => [name, 'b']));
    const refusals: [object, number, object?][] = [
      [{ op: 'add', path: 'tags', value: 'b' }, 6],
      [{ op: 'remove', path: 'tags', value: 'b' }, 6],
      [{ op: 'replace', path: 'tags.display', value: 'b' }, 4],
      [{ op: 'replace', path: 'tags.display', value: Array.from({ length: 6 }, () => 'b') }, 1],
      [{ op: 'add', path: `${urn}:tags`, value: 'b' }, 6, inExtension],
      [{ op: 'add', path: urn, value: { Tags: 'b' } }, 6, inExtension],
      [{ op: 'add', path: urn, value: spelt }, 1, inExtension],
      [{ op: 'remove', path: 'large[other eq "x"]' }, 6],
      [{ op: 'add', path: 'large', value: { value: 'x' } }, 6],
      [{ op: 'remove', path: 'long[value eq "x"]' }, 251],
    ];
    for (const [operation, count, document = before] of refusals) {
      const operations = Array.from({ length: count }, () => operation);
      expect([operation, refusal(() => patched(operations, { ...document }))]).toEqual([
        operation,
        '400 tooMany: the operations must compare at most 50000 values',
      ]);
      if (count > 1) expect(() => patched(operations.slice(1), { ...document })).not.toThrow('must compare');
    }
  });

  it('cannot reach inherited properties by any name', () => {
    const evil = ['__proto__', 'constructor', 'prototype', 'constructor.prototype', 'urn:x:y:__proto__', 'toString'];
    const path = fc.array(fc.constantFrom(...evil, 'name', 'emails[type eq "work"]', enterprise), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(path, fc.constantFrom('.', ':'), fc.constantFrom('add', 'replace', 'remove'), (parts, glue, op) => {
        const text = parts.join(glue);
        for (const operation of [
          { op, path: text, value: { polluted: 'yes' } },
          { op, value: { [text]: { polluted: 'yes' } } },
          { op, path: 'name', value: { [text]: 'yes', 'constructor.prototype.polluted': 'yes' } },
        ]) {
          try {
            patched([operation]);
          } catch (error) {
            if (!(error instanceof ScimError)) throw error;
          }
        }
        expect(({} as { polluted?: string }).polluted).toBeUndefined();
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('does not modify the given document', () => {
    const before = structuredClone(person);
    patched([{ op: 'replace', path: 'name.givenName', value: 'A' }], before);
    expect(before).toEqual(person);
  });
});

describe('values in a SCIM PATCH:', () => {
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
      const operation = { op: 'add', path: 'emails[type sw "7"].value', value: 'x' };
      expect(() => patched(operation)).toThrow('no value of emails matches the filter of the path');
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
});

describe('a path of a SCIM PATCH', () => {
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

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
    const { attribute: _attribute, whole: _whole, ...path } = parsePath('User', text) as ScimPath;
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

  it.each(['schemas', 'PASSWORD'])('is ignored for %s', (text) => {
    expect(parsePath('User', text)).toBe('ignored');
  });

  it.each(['id', 'Meta', 'GROUPS', `${core}:id`, 'manager.displayName'])('is read-only for %s', (text) => {
    expect(parsePath('User', text)).toBe('read-only');
  });

  it.each([
    'name.Constructor',
    'Prototype',
    'urn:acme:Badge:toString',
    'name..givenName',
    '',
    core,
    'urn:acme:Badge:a b',
    'urn:acme:Badge[value eq "a"',
  ])('is rejected for %j', (text) => {
    expect(() => parsePath('User', text)).toThrow('is not a path');
  });

  it('has at most 1024 characters', () => {
    expect(parsePath('User', `urn:x:${'a'.repeat(1_018)}`)).toHaveProperty('name.length', 1_018);
    expect(() => parsePath('User', `urn:x:${'a'.repeat(1_019)}`)).toThrow('path must have at most 1024 characters');
  });

  it('of a group has no attributes of users', () => {
    expect(parsePath('Group', 'members')).toHaveProperty('attribute');
    expect(parsePath('Group', 'manager')).toEqual({ name: 'manager' });
  });
});
