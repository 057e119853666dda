import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { connectorDefinitions, connectorTypes, shownElsewhere } from './definitions.js';
import { changedTarget, type FieldMark, markOf, neutral, secret, target } from './field-marks.js';

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
