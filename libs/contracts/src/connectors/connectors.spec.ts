import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { isMappableField } from '../records.js';
import { awsIamFields } from './aws-iam.js';
import { connectorDefinitions, connectorTypes, shownElsewhere } from './definitions.js';
import { entraFields } from './entra.js';
import { fieldMap } from './field-map.js';
import { changedTarget, type FieldMark, markOf, neutral, secret, target } from './field-marks.js';
import { githubFields } from './github.js';
import { googleFields } from './google.js';
import { jumpcloudFields } from './jumpcloud.js';
import { kubernetesFields } from './kubernetes.js';
import { oktaFields } from './okta.js';
import { scimFields } from './scim.js';
import { sqlConfig } from './sql.js';

const wrong = (source: unknown) => fieldMap.safeParse({ email: source }).error?.issues[0]?.message;

describe('a field mapping', () => {
  it('accepts names, transform steps and constants', () => {
    const map = {
      email: 'mail',
      departments: { from: 'ou', transform: ['trim', { split: ';' }] },
      status: { from: 's', transform: [{ map: { A: 'active' }, otherwise: 'inactive' }] },
      'attributes.source': { value: 'HR' },
    };
    expect(fieldMap.parse(map)).toEqual(map);
  });

  it('reports an invalid step and the allowed ones', () => {
    expect(wrong(7)).toBe('must be a name of the source, {from, transform} or {value}');
    expect(wrong({ from: 'mail', transform: ['trim', { lowercase: true }] })).toBe(
      'must be of known steps; step 2 must be trim, lower, upper, {split}, {date} or {map}',
    );
    expect(wrong({ from: 'mail', transform: 'trim' })).toBe(
      'must have `from` and a list of one to ten steps in `transform`',
    );
    expect(wrong({ transform: ['trim'] })).toBe('must have `from` and a list of one to ten steps in `transform`');
  });

  it('accepts several forms of a date, unless they read the same value as different days', () => {
    const dates = (date: unknown) => fieldMap.safeParse({ hire_date: { from: 'x', transform: [{ date }] } }).success;
    expect(dates('excel')).toBe(true);
    expect(dates(['iso', 'dmy', 'excel'])).toBe(true);
    for (const refused of [[], ['dmy', 'mdy'], ['excel', 'iso', 'excel_1904'], ['roman'], 'roman']) {
      expect(dates(refused)).toBe(false);
    }
  });

  it('has at most 250 fields', () => {
    const mapping = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`attributes.a${nth}`, 'column']));
    expect(fieldMap.safeParse(mapping(250)).success).toBe(true);
    expect(fieldMap.safeParse(mapping(251)).error?.issues[0]?.message).toBe('must map at most 250 fields, not 251');
  });
});

it.each([
  ...[awsIamFields, entraFields, githubFields, googleFields, { machine_identity: kubernetesFields }, oktaFields],
  jumpcloudFields,
  scimFields,
])('a default mapping names fields of its kind of record', (byKind) => {
  for (const [kind, fields] of Object.entries(byKind))
    expect(Object.keys(fields).filter((field) => !isMappableField(kind as RecordKind, field))).toEqual([]);
});

const leaves = new Set(['string', 'number', 'boolean', 'enum', 'literal']);

/** Returns the parts of a schema: the wrapped schema, the items, the options or the values. */
function partsOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return [schema.unwrap() as z.ZodType];
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType];
  if (schema instanceof z.ZodUnion) return schema.options as z.ZodType[];
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType];
  if (leaves.has(schema.def.type)) return [];
  throw new Error(`the test cannot look into a schema of type ${schema.def.type}`);
}

/** Returns the paths of fields without an allowed mark. Fields in a `target` belong to it. */
function wronglyMarked(schema: z.ZodType, allowed: readonly FieldMark[], path: string): string[] {
  if (!(schema instanceof z.ZodObject)) return partsOf(schema).flatMap((part) => wronglyMarked(part, allowed, path));
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) => {
    const mark = markOf(field);
    const at = `${path}.${name}`;
    if (mark === undefined || !allowed.includes(mark)) return [at];
    return mark === 'neutral' ? wronglyMarked(field, ['neutral'], at) : [];
  });
}

/** The fields that address the system which receives the secrets. */
const targets: Record<string, string[]> = {
  csv: ['path', 'url', 'auth', 'ca'],
  ldif: ['path', 'url', 'auth', 'ca'],
  jsonl: ['path', 'url', 'auth', 'ca'],
  ldap: ['url', 'unencrypted', 'ca', 'server_name', 'bind_dn'],
  'aws-iam': ['url', 'region'],
  github: ['url', 'ca', 'organization', 'auth'],
  kubernetes: ['url', 'ca'],
  entra: ['tenant_id', 'client_id', 'url', 'login_url'],
  okta: ['url', 'client_id', 'key_id'],
  google: ['subject', 'url'],
  jumpcloud: ['url', 'organization_id'],
  scim: ['url', 'auth', 'ca'],
  'scim-push': [],
  sql: ['dialect', 'host', 'port', 'database', 'user', 'ssl', 'ca'],
};

describe('the marks of connector fields', () => {
  it.each(connectorTypes)('exist on every field of %s, including nested ones', (type) => {
    const { config, secrets } = connectorDefinitions[type];
    expect(wronglyMarked(config, ['target', 'neutral'], 'config')).toEqual([]);
    expect(wronglyMarked(secrets, ['secret'], 'secrets')).toEqual([]);
  });

  it.each(connectorTypes)('mark the target fields of %s', (type) => {
    const fields = Object.entries<z.ZodType>(connectorDefinitions[type].config.shape);
    const marked = fields.filter(([, field]) => markOf(field) === 'target').map(([name]) => name);
    expect(marked.sort()).toEqual([...(targets[type] ?? ['no entry in this test'])].sort());
  });

  it('are reported as missing at any depth', () => {
    const inner = z.strictObject({ marked: neutral(z.string()), forgotten: z.string(), elsewhere: target(z.string()) });
    const config = z.strictObject({
      forgotten: target(z.string()).optional(),
      password: secret(z.string()),
      list: neutral(z.array(z.union([z.string(), inner])).optional()),
      byName: neutral(z.record(z.string(), inner)),
      whole: target(inner),
    });
    expect(wronglyMarked(config, ['target', 'neutral'], 'config')).toEqual([
      'config.forgotten',
      'config.password',
      'config.list.forgotten',
      'config.list.elsewhere',
      'config.byName.forgotten',
      'config.byName.elsewhere',
    ]);
  });

  it('belong to one field, also in a shared schema', () => {
    const shared = z.string();
    expect([target(shared), neutral(shared), shared].map(markOf)).toEqual(['target', 'neutral', undefined]);
  });
});

describe('a configuration change', () => {
  const config = z.strictObject({ url: target(z.string()), filter: neutral(z.string()), forgotten: z.string() });
  const before = { url: 'https://a', filter: 'x', forgotten: '1' };

  it('returns the first target that was changed, added or removed', () => {
    expect(changedTarget(config, before, { ...before, url: 'https://b' })).toBe('url');
    expect(changedTarget(config, before, { filter: 'x', forgotten: '1' })).toBe('url');
    expect(changedTarget(config, { filter: 'x', forgotten: '1' }, before)).toBe('url');
  });

  it('ignores neutral fields', () => {
    expect(changedTarget(config, before, { ...before, filter: 'y' })).toBeUndefined();
  });

  it('treats unmarked and unknown fields as targets', () => {
    expect(changedTarget(config, before, { ...before, forgotten: '2' })).toBe('forgotten');
    expect(changedTarget(config, { ...before, old: 1 }, before)).toBe('old');
  });

  it('depends on the connector type', () => {
    expect(shownElsewhere('ldap', { base_dn: 'a', groups: { nested: true } }, { base_dn: 'b' })).toBeUndefined();
    const auth = { type: 'oauth2', token_url: 'https://a' };
    expect(shownElsewhere('scim', { auth }, { auth: { ...auth, token_url: 'https://b' } })).toBe('auth');
  });
});

function refusalOf(query: string): string | undefined {
  const config = { dialect: 'postgres', host: 'db', database: 'hr', user: 'reader', query };
  return sqlConfig.safeParse(config).error?.issues.find(({ path }) => path[0] === 'query')?.message;
}

describe('a query of a SQL source', () => {
  it.each([
    'select 1',
    '  WITH a as (select 1) select * from a',
    '-- people\n/* of ** HR */ /**/ select 1',
    '--\r-- --\nselect 1',
  ])('may start with comments before SELECT: %j', (query) => {
    expect(refusalOf(query)).toBeUndefined();
  });

  it.each(['delete from people', '-- select 1', '/* select 1', '/* */ update people set a = 1', 'selection'])(
    'is rejected if it is not a SELECT: %j',
    (query) => {
      expect(refusalOf(query)).toBe('must be a SELECT');
    },
  );

  // With exponential backtracking over the comments, this would never end.
  it.each(['--', '-- ', '/**/', '/*', ' ', '*/ '])('is rejected if it repeats "%s" up to the limit', (part) => {
    expect(refusalOf(part.repeat(65_536 / part.length))).toBe('must be a SELECT');
  });
});
