import { connectorBody, isMappableField, isSecretLdapAttribute, ldapMappings, recordKinds } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { createConnector } from '../create-connector.js';
import { statusOf } from './account-standing.js';
import { parseFilter } from './parse-filter.js';

const config = { url: 'ldaps://dc1.example.com', bind_dn: 'CN=idsync,DC=example,DC=com', base_dn: 'DC=example,DC=com' };
const body = (given: Record<string, unknown>) => ({
  type: 'ldap',
  name: 'AD',
  secrets: { bind_password: 'x' },
  config: { ...config, ...given },
});
const problems = (given: Record<string, unknown>) =>
  connectorBody.safeParse(body(given)).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the configuration of an LDAP source', () => {
  it('needs no mapping', () => {
    expect(connectorBody.parse(body({}))).toMatchObject({ type: 'ldap', records: 'user', config });
  });

  it.each([
    ['http://dc1', 'config.url'],
    ['ldap://user:secret@dc1', 'config.url'],
    ['ldap://dc1/dc=example', 'config.url'],
    ['ldap://dc1?x', 'config.url'],
  ])('calls a server and says nothing else: %s', (url, path) => {
    expect(problems({ url })).toEqual([
      `${path}: must be ldap://host, ldaps://host, either with a port, and nothing else`,
    ]);
  });

  it('never reads what holds a password', () => {
    expect(
      problems({ fields: { display_name: 'cn', 'attributes.x': 'userPassword' }, external_id: 'unicodePwd' }),
    ).toEqual([
      'config.external_id: unicodePwd holds a secret, which is never read',
      'config.fields.attributes.x: userPassword holds a secret, which is never read',
    ]);
    for (const name of ['USERPASSWORD;x-y', 'sambaNTPassword', 'ms-Mcs-AdmPwd', 'msDS-ManagedPassword', 'pwdHistory']) {
      expect([name, isSecretLdapAttribute(name)]).toEqual([name, true]);
    }
    for (const name of ['pwdLastSet', 'badPasswordTime', 'secretary', 'pwdChangedTime']) {
      expect([name, isSecretLdapAttribute(name)]).toEqual([name, false]);
    }
  });

  it('refuses a filter or a certificate that is none, and half of a login', () => {
    const settings = { type: 'ldap', records: 'user', sourcesDir: '', secrets: { bind_password: 'x' } } as const;
    expect(() => createConnector({ ...settings, config: { ...config, filter: '(cn=' } })).toThrow(
      'filter is not an LDAP filter of text',
    );
    const ca = '-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n';
    expect(() => createConnector({ ...settings, config: { ...config, ca } })).toThrow('ca is no certificate');
    const { bind_dn: _, ...anonymous } = config;
    expect(() => createConnector({ ...settings, config: anonymous })).toThrow('are given together, or neither');
    expect(() => createConnector({ ...settings, secrets: { bind_password: '' }, config })).toThrow(
      'secrets is invalid',
    );
    expect(createConnector({ ...settings, secrets: {}, config: anonymous }).tellsChanges).toBe(true);
  });

  it.each(
    recordKinds.flatMap((kind) => (['active_directory', 'ldap'] as const).map((server) => [server, kind] as const)),
  )('has defaults that can be mapped: %s, %s', (server, kind) => {
    const { filter, fields } = ldapMappings[server][kind];
    expect(parseFilter(filter)).toBeDefined();
    expect(Object.keys(fields).filter((field) => !isMappableField(kind, field))).toEqual([]);
  });
});

describe('a filter', () => {
  it('is the same with its letters escaped, and with any other value than text is none', () => {
    const plain = Buffer.from(parseFilter('(&(cn=équipe*)(o=a*é))').toString());
    expect(Buffer.from(parseFilter('(&(cn=\\c3\\A9quipe*)(o=a*\\C3\\a9))').toString())).toEqual(plain);
    expect(parseFilter('(cn=a\\2ab\\28)').toString()).toBe('(cn=a\\2ab\\28)');
    expect(() => parseFilter('(objectGUID=\\ff\\fe)', 'groups.filter')).toThrow(
      'groups.filter is not an LDAP filter of text',
    );
  });
});

describe('the status of an entry', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const status = (kind: 'user' | 'account' | 'machine_identity', values: Record<string, string>) =>
    statusOf(kind, (name) => values[name], now);

  it.each([
    [{}, 'active'],
    [{ userAccountControl: '512' }, 'active'],
    [{ userAccountControl: '514' }, 'disabled'],
    [{ userAccountControl: '512', accountExpires: '0' }, 'active'],
    [{ userAccountControl: '512', accountExpires: '9223372036854775807' }, 'active'],
    [{ accountExpires: '134116992000000000' }, 'disabled'],
    [{ accountExpires: '134116992000010000' }, 'active'],
    [{ 'msDS-User-Account-Control-Computed': '16' }, 'locked'],
    [{ userAccountControl: '514', 'msDS-User-Account-Control-Computed': '16' }, 'disabled'],
    [{ pwdAccountLockedTime: '000001010000Z' }, 'locked'],
    [{ nsAccountLock: 'TRUE' }, 'disabled'],
    [{ nsAccountLock: 'false', userAccountControl: 'nonsense' }, 'active'],
  ])('that says %j is that of an account that is %s', (values, expected) => {
    expect(status('account', values)).toBe(expected);
  });

  it('is what each kind of record calls it', () => {
    const locked = { 'msDS-User-Account-Control-Computed': '16' };
    expect([status('user', locked), status('machine_identity', locked)]).toEqual(['suspended', 'disabled']);
    expect([status('user', { nsAccountLock: 'true' }), status('user', {})]).toEqual(['inactive', 'active']);
  });
});
