import { type ConnectorType, connectorDefinitions, type RecordKind } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { Connector } from './connector.js';
import { createConnector, leftOutBySettings, unseenDeletions } from './create-connector.js';

const entra = { tenant_id: 't', client_id: 'c' };
const google = { subject: 'admin@example.test' };
const kubernetes = { url: 'https://k.example' };
const okta = { url: 'https://o.example' };
const scim = { url: 'https://s.example' };
const github = { organization: 'acme' };

describe('the records that the settings of a source leave out', () => {
  it.each<[ConnectorType, object, RecordKind, string[]]>([
    ['aws-iam', {}, 'user', ['users without a password are not read']],
    ['aws-iam', { users: 'with_password' }, 'user', ['users without a password are not read']],
    ['aws-iam', { users: 'all' }, 'user', []],
    ['aws-iam', { users: 'without_password' }, 'account', ['users with a password are not read']],
    [
      'aws-iam',
      {},
      'machine_identity',
      ['users with a password are not read', 'roles that AWS created are not read, because aws_roles is false'],
    ],
    [
      'aws-iam',
      { users: 'none', roles: false },
      'machine_identity',
      ['users are not read, because users is none', 'roles are not read, because roles is false'],
    ],
    ['aws-iam', { users: 'all', aws_roles: true }, 'machine_identity', []],
    ['entra', entra, 'user', []],
    [
      'entra',
      { ...entra, user_types: ['member'] },
      'user',
      ['users of type guest are not read, because user_types does not contain it'],
    ],
    [
      'entra',
      { ...entra, user_types: ['member'] },
      'machine_identity',
      ['service principals of Microsoft applications are not read, because microsoft_apps is false'],
    ],
    ['entra', { ...entra, microsoft_apps: true }, 'machine_identity', []],
    ['github', github, 'user', []],
    [
      'github',
      github,
      'machine_identity',
      ['fine_grained_tokens are not read, because machines does not contain them'],
    ],
    ['google', { ...google, deleted: true }, 'user', []],
    [
      'google',
      { ...google, query: 'orgName=A' },
      'user',
      ['users that do not match query are not read', 'deleted users are not read, because deleted is false'],
    ],
    ['kubernetes', kubernetes, 'machine_identity', []],
    [
      'kubernetes',
      { ...kubernetes, namespaces: ['a', 'b'], label_selector: 'app=x' },
      'machine_identity',
      [
        'service accounts outside the namespaces a, b are not read',
        'service accounts that do not match label_selector are not read',
      ],
    ],
    ['okta', okta, 'user', []],
    ['okta', okta, 'machine_identity', ['apps that only sign in users are not read']],
    [
      'okta',
      { ...okta, deprovisioned: false },
      'user',
      ['deactivated users are not read, because deprovisioned is false'],
    ],
    ['scim', scim, 'user', []],
    ['scim', { ...scim, filter: 'active eq true' }, 'user', ['Users that do not match filter are not read']],
  ])('are named for %s with %j and records %s', (type, given, records, expected) => {
    const config = connectorDefinitions[type].config.parse(given);
    expect(leftOutBySettings(type, config as never, records)).toEqual(expected);
  });

  it('are named for ldif with an object class, and not for csv', () => {
    const file = { path: 'a', external_id: 'uid', fields: { email: 'mail' } };
    const of = (type: 'csv' | 'ldif', config: object) =>
      leftOutBySettings(type, connectorDefinitions[type].config.parse(config) as never, 'user');
    expect(of('ldif', { ...file, object_class: 'person' })).toEqual([
      'entries without the object class person are not read',
    ]);
    expect([of('ldif', file), of('csv', file)]).toEqual([[], []]);
  });
});

describe('deletions that incremental runs do not detect', () => {
  const read: Connector['read'] = async function* () {};
  const warning = ['incremental runs do not see every deleted record: only full runs detect all deletions'];

  it('are a warning only for sources with incremental runs that do not report all deletions', () => {
    expect(unseenDeletions({ read, reportsChanges: true })).toEqual(warning);
    expect(unseenDeletions({ read })).toEqual([]);
    expect(unseenDeletions({ read, reportsChanges: false })).toEqual([]);
    expect(unseenDeletions({ read, reportsChanges: true, reportsEveryChange: true })).toEqual([]);
    expect(unseenDeletions({ read, reportsChanges: true, reportsDeletions: true })).toEqual([]);
  });

  it('are part of the description of every type of source, with the settings that leave records out', async () => {
    const connector = createConnector({
      type: 'okta',
      records: 'account',
      config: { ...okta, deprovisioned: false, fields: { identifier: 'id' } },
      secrets: { token: 'a-token-of-okta' },
      sourcesDir: '/',
    });
    await expect(connector.describe?.(new AbortController().signal)).resolves.toEqual({
      warnings: ['deactivated users are not read, because deprovisioned is false', ...warning],
    });
  });
});
