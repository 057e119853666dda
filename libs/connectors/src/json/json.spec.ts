import { describe, expect, it, jest } from '@jest/globals';
import { SourceError } from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { jsonReader } from './json-path.js';
import { NotJson, parseJsonText } from './parse-json.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const record = {
  id: 7,
  active: false,
  name: { givenName: 'Zoë', middle: null },
  emails: [
    { type: 'home', value: 'z@home.example' },
    { type: 'Work', value: 'z@work.example', primary: true },
  ],
  groups: ['a', 'b'],
  matrix: [
    [1, 2],
    [3, 4],
  ],
  labels: { 'app.kubernetes.io/name': 'idsync', 'a"b]': 'odd' },
  [enterprise]: { employeeNumber: '42', manager: { value: 'm1' } },
  userPassword: 'hunter2',
};

const at = (path: string) => jsonReader([path])(record)(path);

describe('a JSON path', () => {
  it.each([
    ['id', ['7']],
    [' id ', ['7']],
    ['active', ['false']],
    ['name.givenName', ['Zoë']],
    ['emails[0].value', ['z@home.example']],
    ['emails[type=work].value', ['z@work.example']],
    ['emails[ type = "work" ].value', ['z@work.example']],
    ['emails[ type = work ].value', ['z@work.example']],
    ['emails[primary=true].value', ['z@work.example']],
    ['emails[].value', ['z@home.example', 'z@work.example']],
    ['emails.value', ['z@home.example', 'z@work.example']],
    ['groups', ['a', 'b']],
    ['groups[]', ['a', 'b']],
    ['groups[1]', ['b']],
    ['matrix[][1]', ['2', '4']],
    ['matrix[1][0]', ['3']],
    ['labels["app.kubernetes.io/name"]', ['idsync']],
    ['["labels"]["a\\"b]"]', ['odd']],
    [`["${enterprise}"].employeeNumber`, ['42']],
    [`${enterprise}.manager.value`, ['m1']],
    [`${enterprise}:employeeNumber`, ['42']],
  ])('%s selects %j', (path, values) => {
    expect(at(path)).toEqual(values);
  });

  it.each([
    ['nobody'],
    ['name'],
    ['name.middle'],
    ['name.middle.more'],
    ['groups[9]'],
    ['groups.length'],
    ['emails[type=other].value'],
    ['id.value'],
    ['constructor.name'],
    ['__proto__.toString'],
    ['name[0]'],
  ])('%s selects nothing', (path) => {
    expect(at(path)).toEqual([]);
  });

  it.each([['a..b'], ['a.'], ['a['], ['a[b'], ['a]'], ['a["b]'], ['a"b'], ['a[0]b']])('%s is invalid', (path) => {
    expect(() => jsonReader([path])).toThrow(SourceError);
  });
});

describe('field discovery in JSON records', () => {
  it('returns paths with example values, but without values of secrets', () => {
    const fields = jsonFields([record, { id: 8 }, { id: 7 }]);
    expect(fields).toContainEqual({ name: 'id', examples: ['7', '8'] });
    expect(fields).toContainEqual({ name: 'emails[].value', examples: ['z@home.example', 'z@work.example'] });
    expect(fields).toContainEqual({ name: 'groups', examples: ['a', 'b'] });
    expect(fields).toContainEqual({ name: 'labels["app.kubernetes.io/name"]', examples: ['idsync'] });
    expect(fields).toContainEqual({ name: 'userPassword', examples: [] });
    for (const { name, examples } of fields) {
      if (examples.length > 0 && !name.startsWith('matrix'))
        expect(at(name)).toEqual(expect.arrayContaining([examples[0]]));
    }
  });
});

describe('parsing JSON of a source', () => {
  it('preserves integers beyond the safe range as text and leaves strings unchanged', () => {
    expect(parseJsonText('{"id":12345678901234567890,"n":1e3,"t":"a \\" 12345678901234567890"}')).toEqual({
      id: '12345678901234567890',
      n: 1_000,
      t: 'a " 12345678901234567890',
    });
  });

  it('rejects an unterminated string after one scan', () => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const text = `[1, "${'\\"'.repeat(1_000)}12345678901234567890`;
      expect(() => parseJsonText(text)).toThrow(NotJson);
      // A second scan, from a quote within the string, would find the number and change it.
      expect(parse.mock.calls[0]).toEqual([text]);
    } finally {
      parse.mockRestore();
    }
  });
});
