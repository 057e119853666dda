import { connectorBody, isMappableField, isSecretLdapAttribute, ldapMappings, recordKinds } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { CheckpointExpired } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { statusOf } from './account-state.js';
import { Clock, changedSince, readCheckpoint } from './changes.js';
import type { DirectoryServer } from './directory-server.js';
import type { LdapEntry } from './ldap-messages.js';
import { parseFilter } from './parse-filter.js';

const seen = (time: string): LdapEntry => ({
  dn: '',
  names: [],
  values: new Map([['modifytimestamp', [Buffer.from(time)]]]),
});
const openLdap: DirectoryServer = { kind: 'ldap', contextOf: () => undefined, now: new Date(0) };
const replica = { invocationId: 'aa', highestUsn: 100n };
const controller: DirectoryServer = { ...openLdap, kind: 'active_directory', replica };

describe('the checkpoint time of an LDAP directory', () => {
  it('is earlier than the newest change by the overlap, which covers at least the current second', () => {
    const clock = new Clock();
    for (const time of ['20260101000000Z', '20260101000100.5Z', '20251231235959Z', 'nonsense'])
      clock.record(seen(time));
    const newest = Date.UTC(2026, 0, 1, 0, 1) / 1_000;
    const checkpoint = clock.checkpoint(30, undefined) ?? 0;
    expect(checkpoint).toBeLessThan(newest - 30);
    expect(checkpoint).toBeGreaterThan(newest - 3_600);
  });

  it('never decreases and stays the same when no entry was read', () => {
    const clock = new Clock();
    expect([clock.checkpoint(30, undefined), clock.checkpoint(30, 77)]).toEqual([undefined, 77]);
    clock.record(seen('19700101000100Z'));
    expect(clock.checkpoint(30, 4_000)).toBe(4_000);
  });
});

describe('the LDAP filter for changes since a checkpoint', () => {
  it('compares the modification time or the next update sequence number', () => {
    const time = Date.UTC(2026, 1, 3, 4, 5, 6) / 1_000;
    expect(changedSince({ config: 'c', changed: time }, 'c', openLdap).toString()).toBe(
      '(modifyTimestamp>=20260203040506Z)',
    );
    expect(changedSince({ config: 'c', invocation: 'aa', usn: '100' }, 'c', controller).toString()).toBe(
      '(uSNChanged>=101)',
    );
  });

  it.each([
    ['a changed configuration', { config: 'd', changed: 1 }, openLdap],
    ['no modification time', { config: 'c' }, openLdap],
    ['another domain controller', { config: 'c', invocation: 'bb', usn: '7' }, controller],
    ['a domain controller that was rolled back', { config: 'c', invocation: 'aa', usn: '101' }, controller],
    [
      'a domain controller without replica information',
      { config: 'c', invocation: 'aa', usn: '7' },
      { ...controller, replica: undefined },
    ],
    ['another kind of directory', { config: 'c', changed: 1 }, controller],
  ])('throws CheckpointExpired for %s', (_, since, server) => {
    expect(() => changedSince(since, 'c', server as DirectoryServer)).toThrow(CheckpointExpired);
  });

  it('throws CheckpointExpired for an invalid checkpoint', () => {
    expect(() => readCheckpoint({ config: 'c', usn: 'many' })).toThrow(CheckpointExpired);
  });
});

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
  it('requires no mapping', () => {
    expect(connectorBody.parse(body({}))).toMatchObject({ type: 'ldap', records: 'user', config });
  });

  it.each([
    ['http://dc1', 'config.url'],
    ['ldap://user:secret@dc1', 'config.url'],
    ['ldap://dc1/dc=example', 'config.url'],
    ['ldap://dc1?x', 'config.url'],
  ])('requires a url with only host and port: %s', (url, path) => {
    expect(problems({ url })).toEqual([`${path}: must be ldap://host or ldaps://host with an optional port`]);
  });

  it('rejects attributes with passwords', () => {
    expect(
      problems({ fields: { display_name: 'cn', 'attributes.x': 'userPassword' }, external_id: 'unicodePwd' }),
    ).toEqual([
      'config.external_id: unicodePwd contains a secret and cannot be read',
      'config.fields.attributes.x: userPassword contains a secret and cannot be read',
    ]);
    for (const name of ['USERPASSWORD;x-y', 'sambaNTPassword', 'ms-Mcs-AdmPwd', 'msDS-ManagedPassword', 'pwdHistory']) {
      expect([name, isSecretLdapAttribute(name)]).toEqual([name, true]);
    }
    for (const name of ['pwdLastSet', 'badPasswordTime', 'secretary', 'pwdChangedTime']) {
      expect([name, isSecretLdapAttribute(name)]).toEqual([name, false]);
    }
  });

  it.each([
    ['passwords', 'userPassword unixUserPassword sambaLMPassword olcRootPW authPassword nspmDistributionPassword'],
    ['hashes', 'ipaNTHash dBCSPwd ntPwdHistory sambaPasswordHistory krbPwdHistory supplementalCredentials'],
    [
      'keys',
      'krbPrincipalKey krb5Key ipatokenOTPkey sshPrivateKey userPKCS12 ipaWrappingKey msFVE-KeyPackage privateKey',
    ],
    ['trusts', 'trustAuthIncoming trustAuthOutgoing ipaNTTrustAuthIncoming ipaNTTrustAuthOutgoing initialAuthOutgoing'],
    ['managed passwords', 'ms-Mcs-AdmPwd msLAPS-EncryptedPasswordHistory msDS-ManagedPassword msFVE-RecoveryPassword'],
    [
      'shared secrets',
      'ipatokenRadiusSecret oathSecret nsds5ReplicaCredentials ipaIdpClientSecret currentValue pekList',
    ],
    ['attributes given by OID', '2.5.4.35 OID.2.5.4.35 1.3.6.1.4.1.42.2.27.4.1.6'],
  ])('rejects %s in any case and with any options', (_, listed) => {
    const names = listed
      .split(' ')
      .flatMap((name) => [name, name.toUpperCase(), `${name};binary`, ` ${name};lang-de `]);
    expect(names.filter((name) => !isSecretLdapAttribute(name))).toEqual([]);
    const [name = ''] = names;
    expect(problems({ fields: { email: name } })).toEqual([expect.stringMatching(/^config.fields.email: .*secret/)]);
    expect(problems({ anchor: 'nsUniqueId', fields: { email: 'mail' } })).toBeUndefined();
  });

  it('accepts attributes that only have a name like a secret', () => {
    const names = [
      ...['pwdLastSet', 'badPasswordTime', 'badPwdCount', 'secretary', 'pwdChangedTime', 'pwdAccountLockedTime'],
      ...['krbLastPwdChange', 'krbPasswordExpiration', 'passwordExpirationTime', 'pwdLastSuccess', 'sshPublicKey'],
      ...['userCertificate;binary', 'krbPrincipalName', 'ipaUniqueID', 'sambaPwdLastSet', 'accountExpires'],
      ...['ipatokenUniqueID', 'employeeNumber', 'departmentNumber', 'postalCode', 'ou', 'c', 'keywords', 'trustType'],
    ];
    expect(names.filter(isSecretLdapAttribute)).toEqual([]);
    expect(
      problems({ fields: Object.fromEntries(names.map((name, n) => [`attributes.a${n}`, name])) }),
    ).toBeUndefined();
  });

  it.each(['*', '+', '@person', '1.1'])('requires one attribute per field, not a selector: %s', (name) => {
    expect(problems({ fields: { email: name } })).toEqual([expect.stringContaining('config.fields.email: ')]);
  });

  it('rejects secrets as anchor and in filters', () => {
    expect(problems({ anchor: 'ipaNTHash' })).toEqual([
      'config.anchor: ipaNTHash contains a secret and cannot be read',
    ]);
    for (const part of ['userPassword=a*', 'userPassword:2.5.13.17:=c', 'USERPASSWORD>=d']) {
      expect(() => parseFilter(`(|(cn=x)(!(&(${part}))))`)).toThrow(/secret/);
    }
    expect(parseFilter('(&(cn=x)(krbPrincipalKey=*))')).toBeDefined();
  });

  it('rejects an invalid filter, an invalid certificate and incomplete credentials', () => {
    const settings = { type: 'ldap', records: 'user', sourcesDir: '', secrets: { bind_password: 'x' } } as const;
    expect(() => createConnector({ ...settings, config: { ...config, filter: '(cn=' } })).toThrow(
      'filter is not a valid LDAP filter',
    );
    const ca = '-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n';
    expect(() => createConnector({ ...settings, config: { ...config, ca } })).toThrow('ca is not a valid certificate');
    const { bind_dn: _, ...anonymous } = config;
    expect(() => createConnector({ ...settings, config: anonymous })).toThrow('must be given together');
    expect(() => createConnector({ ...settings, secrets: { bind_password: '' }, config })).toThrow(
      'secrets is invalid',
    );
    expect(createConnector({ ...settings, secrets: {}, config: anonymous }).reportsChanges).toBe(true);
  });

  it.each(
    recordKinds.flatMap((kind) => (['active_directory', 'ldap'] as const).map((server) => [server, kind] as const)),
  )('has valid default mappings: %s, %s', (server, kind) => {
    const { filter, fields } = ldapMappings[server][kind];
    expect(parseFilter(filter)).toBeDefined();
    expect(Object.keys(fields).filter((field) => !isMappableField(kind, field))).toEqual([]);
  });
});

describe('an LDAP filter', () => {
  it('is unchanged by escaped letters and rejected with binary values', () => {
    const plain = Buffer.from(parseFilter('(&(cn=équipe*)(o=a*é))').toString());
    expect(Buffer.from(parseFilter('(&(cn=\\c3\\A9quipe*)(o=a*\\C3\\a9))').toString())).toEqual(plain);
    expect(parseFilter('(cn=a\\2ab\\28)').toString()).toBe('(cn=a\\2ab\\28)');
    expect(() => parseFilter('(objectGUID=\\ff\\fe)', 'groups.filter')).toThrow(
      'groups.filter is not a valid LDAP filter',
    );
  });
});

describe('the status of an LDAP entry', () => {
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
  ])('with %j is %s', (values, expected) => {
    expect(status('account', values)).toBe(expected);
  });

  it('uses the status values of each record kind', () => {
    const locked = { 'msDS-User-Account-Control-Computed': '16' };
    expect([status('user', locked), status('machine_identity', locked)]).toEqual(['suspended', 'disabled']);
    expect([status('user', { nsAccountLock: 'true' }), status('user', {})]).toEqual(['inactive', 'active']);
  });
});
