import { awsIamConfig, type RecordKind } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { failure, type IamAccount, type IamUser, iamApi } from '../../test/aws-iam-api.js';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person, SourceUnderTest } from '../../test/conformance/source-under-test.js';
import { type Asked, type Handler, loopback, type Reply, testServer } from '../../test/http-server.js';
import { expectEachAlone } from '../../test/read-one.js';
import { attempt, finalRecords } from '../../test/reading.js';
import { type Connector, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import type { HttpLimits } from '../http/http-transport.js';
import { awsIamConnector } from './aws-iam-connector.js';

const server = testServer();
const secrets = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG' };

function user(name: string, more: Partial<IamUser> = {}): IamUser {
  return {
    UserName: name,
    UserId: `AIDA${name.toUpperCase()}`,
    Arn: `arn:aws:iam::123456789012:user/${name}`,
    GroupList: ['Admins'],
    AttachedManagedPolicies: [],
    Tags: [
      { Key: 'Owner', Value: 'ann & bob' },
      { Key: 'email', Value: `${name}@corp.example` },
    ],
    report: {
      password_enabled: 'false',
      mfa_active: 'false',
      access_key_1_active: 'false',
      access_key_2_active: 'false',
    },
    ...more,
  };
}

function role(name: string, principal: unknown, more: object = {}): object {
  const policy = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: principal, Action: 'sts:AssumeRole' }],
  };
  return {
    Path: '/',
    RoleName: name,
    RoleId: `AROA${name.toUpperCase()}`,
    Arn: `arn:aws:iam::123456789012:role/${name}`,
    CreateDate: '2024-05-09T15:45:35Z',
    AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(policy)),
    AttachedManagedPolicies: [],
    Tags: [],
    RoleLastUsed: { LastUsedDate: '2026-01-20T17:14:00Z', Region: 'us-east-1' },
    ...more,
  };
}

const keys = {
  password_enabled: 'false',
  mfa_active: 'false',
  access_key_1_active: 'true',
  access_key_1_last_rotated: '2023-06-17T19:11:50+00:00',
  access_key_1_last_used_date: '2026-01-02T03:00:00+00:00',
  access_key_1_last_used_service: 's3',
  access_key_2_active: 'false',
  access_key_2_last_rotated: '2021-06-17T19:11:50+00:00',
  access_key_2_last_used_date: '2026-01-05T03:00:00+00:00',
};
const password = {
  ...keys,
  password_enabled: 'true',
  password_last_used: '2026-01-09T00:00:00+00:00',
  mfa_active: 'true',
};

function account(): IamAccount {
  const oidc = 'arn:aws:iam::123456789012:oidc-provider';
  return {
    users: [
      user('ann', { report: password }),
      user('bob', { report: { ...password, access_key_1_active: 'false' } }),
      user('backup', { report: keys }),
      user('idle'),
      user('cat', { report: password }),
      user('dan', { report: password }),
      user('eve', { report: password }),
      user('new-person', { report: undefined, keys: [], hasPassword: true } as Partial<IamUser>),
      user('new-robot', {
        report: undefined,
        keys: [
          { AccessKeyId: 'AKIA1', Status: 'Active', CreateDate: '2026-01-31T00:00:00Z' },
          {
            AccessKeyId: 'AKIA2',
            Status: 'Inactive',
            CreateDate: '2026-01-30T00:00:00Z',
            LastUsedDate: '2026-01-30T01:00:00Z',
          },
        ],
      } as Partial<IamUser>),
      user('deleted', { report: undefined } as Partial<IamUser>),
    ],
    roles: [
      role('web', { Service: 'ec2.amazonaws.com' }),
      role('deploy', { Federated: `${oidc}/token.actions.githubusercontent.com` }),
      role('pods', { Federated: `${oidc}/oidc.eks.us-east-1.amazonaws.com/id/X` }, { RoleLastUsed: '' }),
      role('partner', { AWS: ['arn:aws:iam::210987654321:root', '*'] }),
      role('people', { Federated: 'arn:aws:iam::123456789012:saml-provider/corp' }),
      role('agent', { Service: ['bedrock.amazonaws.com', 'lambda.amazonaws.com'] }),
      role('linked', { Service: 'rds.amazonaws.com' }, { Path: '/aws-service-role/rds.amazonaws.com/' }),
      role(
        'root',
        { Service: 'lambda.amazonaws.com' },
        {
          AttachedManagedPolicies: [
            { PolicyName: 'AdministratorAccess', PolicyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
          ],
        },
      ),
    ],
  };
}

function connector(records: RecordKind, change: object = {}, limits: Partial<HttpLimits> = quick): Connector {
  const config = awsIamConfig.parse({ url: server.origin, ...change });
  return awsIamConnector(config, { records, secrets, allowedCidrs: loopback, limits }, 1);
}

const parameters = ({ body }: Asked) => Object.fromEntries(new URLSearchParams(body));
const start = (source = account()) => server.serve(iamApi(source, secrets.access_key_id));
const words = async (records: RecordKind, change: object = {}) => {
  start();
  const { pages, error } = await attempt(connector(records, change), { pageSize: 100 });
  expect(error).toBeUndefined();
  return finalRecords(pages);
};

const kit = testServer();

/** Users and roles alternate. In addition there are always users that are missing in the report. */
function iamUnderTest(): SourceUnderTest {
  const unreported = account().users.filter(({ report }) => report === undefined);
  let api: Handler = () => ({ status: 500 });
  const fill = (users: readonly Partial<IamUser>[], roles: readonly object[]) => {
    api = iamApi({ users: [...users, ...unreported] as IamUser[], roles: [...roles] }, secrets.access_key_id);
    return connector('machine_identity', { url: kit.origin });
  };
  const split = (people: readonly Person[]) => ({
    users: people.filter((_, n) => n % 2 === 0).map(({ name }) => user(name)),
    roles: people.filter((_, n) => n % 2 === 1).map(({ name }) => role(name, { Service: 'ec2.amazonaws.com' })),
  });
  const spoiled = (change: object) => (people: readonly Person[]) => {
    const { users, roles } = split(people);
    return fill(users, [role('odd', { Service: 'ec2.amazonaws.com' }, change), ...roles]);
  };
  const text = (reply: Reply, change: (body: string) => string): Reply => ({
    ...reply,
    body: change(String(reply.body)),
  });
  const list = /<(UserDetailList|RoleDetailList|SummaryMap|Content|AccessKeyMetadata)>.*<\/\1>/s;
  const details = /<(UserDetailList|RoleDetailList)>(.+)<\/\1>/s;
  return {
    name: 'aws-iam',
    open: () => connector('machine_identity', { url: kit.origin }),
    fill(people) {
      const { users, roles } = split(people);
      fill(users, roles);
    },
    always: ['new-robot'],
    emptySource: 'complete',
    secrets: [secrets.secret_access_key],
    discovers: ['@id', '@name', '@status'],
    readsOne: { unknownId: 'nobody' },
    changes: { unsupported: 'IAM does not report changes' },
    bad: {
      withoutId: spoiled({ RoleId: '' }),
      ofWrongType: spoiled({ RoleId: { of: 'an object' } }),
      tooLarge: spoiled({ RoleName: 'x'.repeat(20_000) }),
    },
    reached: {
      over: 'http',
      server: kit,
      answer: (asked) => api(asked),
      listOf(asked) {
        const { Action, UserName, ...rest } = parameters(asked);
        if (!Action || /Generate|LastUsed|LoginProfile/.test(Action) || UserName === 'deleted') return undefined;
        return `${Action} ${rest['Filter.member.1']} ${UserName}`;
      },
      answerSize: { unsupported: 'the connector requests the page size' },
      renewal: { unsupported: 'its access key does not expire' },
      invalidResponses: {
        withoutList: (reply) => text(reply, (body) => body.replace(list, '')),
        emptied: (reply) =>
          text(reply, (body) => body.replace(list, '<$1/>').replace(/<IsTruncated>.*?</, '<IsTruncated>false<')),
        repeating: (reply, earlier) =>
          text(reply, (body) => {
            const [, name, members] = details.exec(String(earlier.body)) ?? [];
            return name ? body.replace(`</${name}>`, `${members}</${name}>`) : body;
          }),
        emptyBefore: (reply, asked, nth) =>
          text(reply, (body) => {
            const here = parameters(asked).Marker?.split('~')[0] ?? 'marker-0';
            if (!details.test(body)) return body;
            const bare = body.replace(/<(IsTruncated|Marker)>.*?<\/\1>/g, '');
            return bare.replace(details, `<IsTruncated>true</IsTruncated><$1/><Marker>${here}~${nth}</Marker>`);
          }),
        leadingTo: { unsupported: 'its pages have markers, not links' },
        expired: failure(400, 'InvalidInput', 'Invalid Marker'),
      },
    },
  };
}
conforms(iamUnderTest());

describe('the IAM connector for users', () => {
  it('reads a user with a password as a person', async () => {
    const accounts = await words('account');
    expect(Object.keys(accounts)).toEqual(
      ['ANN', 'BOB', 'CAT', 'DAN', 'EVE', 'NEW-PERSON'].map((name) => `AIDA${name}`),
    );
    expect(accounts.AIDAANN).toEqual({
      identifier: ['ann'],
      display_name: ['ann'],
      email: ['ann@corp.example'],
      status: ['active'],
      'attributes.arn': ['arn:aws:iam::123456789012:user/ann'],
      'attributes.groups': ['Admins'],
      'attributes.mfa': ['true'],
      'attributes.privileged': ['false'],
      'attributes.last_used_at': ['2026-01-09T00:00:00+00:00'],
    });
  });

  it('reads a user without a password as a machine with the age of its oldest active secret and its last use', async () => {
    const machines = await words('machine_identity', { roles: false });
    expect(machines.AIDABACKUP).toMatchObject({
      account_id: ['arn:aws:iam::123456789012:user/backup'],
      classification: ['service_account'],
      owned_by: ['ann & bob'],
      status: ['active'],
      'attributes.type': ['user'],
      'attributes.secret_created_at': ['2023-06-17T19:11:50+00:00'],
      'attributes.last_used_at': ['2026-01-05T03:00:00+00:00'],
    });
    expect(machines.AIDAIDLE).toMatchObject({ status: ['disabled'], 'attributes.secret_created_at': [] });
  });

  it('reads the credentials of a user newer than the report, and omits a user deleted meanwhile', async () => {
    const all = await words('machine_identity', { users: 'all', roles: false });
    expect(all['AIDANEW-ROBOT']).toMatchObject({
      'attributes.secret_created_at': ['2026-01-31T00:00:00Z'],
      'attributes.last_used_at': ['2026-01-30T01:00:00Z'],
    });
    expect(all['AIDANEW-PERSON']).toMatchObject({ status: ['active'] });
    expect(all).not.toHaveProperty('AIDADELETED');
    const live = server.asked.map(parameters).filter(({ Action }) => Action === 'ListAccessKeys');
    expect(live.map(({ UserName }) => UserName)).toEqual(['new-person', 'new-robot', 'deleted']);
  });
});

describe('the IAM connector for roles', () => {
  it('classifies a role by its trust policy', async () => {
    const machines = await words('machine_identity', { users: 'none' });
    const classified = Object.entries(machines).map(([id, { classification }]) => [id, classification?.[0]]);
    expect(Object.fromEntries(classified)).toEqual({
      AROAWEB: 'workload',
      AROADEPLOY: 'ci_cd',
      AROAPODS: 'workload',
      AROAPARTNER: 'service_account',
      AROAPEOPLE: 'unknown',
      AROAAGENT: 'ai_agent',
      AROAROOT: 'workload',
    });
    expect(machines.AROAPARTNER).toMatchObject({
      'attributes.trusted_by': ['AWS:arn:aws:iam::210987654321:root', 'AWS:*'],
      'attributes.privileged': ['false'],
      'attributes.last_used_at': ['2026-01-20T17:14:00Z'],
    });
    expect(machines.AROAROOT).toMatchObject({
      'attributes.privileged': ['true'],
      'attributes.policies': ['AdministratorAccess'],
    });
    expect(machines.AROAPODS).toMatchObject({ 'attributes.last_used_at': [] });
    expect(await words('machine_identity', { users: 'none', aws_roles: true })).toHaveProperty('AROALINKED');
  });
});

describe('the IAM connector', () => {
  it('retries throttling with 400, but no other 400', async () => {
    const api = iamApi(account(), secrets.access_key_id);
    const seen = new Set<string>();
    const throttling: Handler = (asked) => {
      if (seen.has(asked.body)) return api(asked);
      seen.add(asked.body);
      return failure(400, 'Throttling', 'Rate exceeded');
    };
    server.serve(throttling);
    expect((await attempt(connector('account'), { pageSize: 3 })).error).toBeUndefined();
    server.serve(() => failure(400, 'Throttling', 'Rate exceeded'));
    const throttled = await attempt(connector('account'), { pageSize: 3 });
    expect((throttled.error as Error).message).toContain('answered 400 (Throttling) (tried 3 times)');
    server.serve(() => failure(403, 'AccessDenied', 'not authorized to perform: iam:GenerateCredentialReport'));
    const refused = await attempt(connector('account'), { pageSize: 3 });
    expect(refused.error).toMatchObject({
      code: 'forbidden',
      message: `POST ${server.origin}/ answered 403 (AccessDenied)`,
      said: 'AccessDenied: not authorized to perform: iam:GenerateCredentialReport',
    });
    expect(server.asked).toHaveLength(1);
  });

  it('requests an expired report again and fails when no report is created', async () => {
    const api = iamApi(account(), secrets.access_key_id);
    let reports = 0;
    server.serve((asked) => {
      const isReport = parameters(asked).Action === 'GetCredentialReport';
      return isReport && reports++ === 0 ? failure(410, 'ReportExpired', 'expired') : api(asked);
    });
    expect((await attempt(connector('account'), { pageSize: 100 })).error).toBeUndefined();
    expect(reports).toBe(2);
    server.serve((asked) =>
      parameters(asked).Action === 'GetCredentialReport' ? failure(404, 'ReportInProgress', 'soon') : api(asked),
    );
    const { error } = await attempt(connector('account', {}, { ...quick, waitMs: 20 }), { pageSize: 100 });
    expect((error as Error).message).toContain('the credential report of the account is not ready: waiting');
  });

  it.each([
    [/<IsTruncated>.*<\/IsTruncated>/, '', 'so the list may be incomplete'],
    [/<Marker>.*<\/Marker>/, '', 'reported more items without a marker'],
  ])('fails when a list lacks %s', async (missing, instead, message) => {
    const api = iamApi(account(), secrets.access_key_id);
    server.serve((asked) => {
      const reply = api(asked);
      const isRoles = parameters(asked)['Filter.member.1'] === 'Role';
      return isRoles ? { ...reply, body: String(reply.body).replace(missing, instead) } : reply;
    });
    const { pages, error } = await attempt(connector('machine_identity'), { pageSize: 3 });
    expect((error as Error).message).toContain(message);
    expect(pages.some(({ last }) => last)).toBe(false);
  });

  it.each([
    ['no XML', '<GetAccountSummaryResponse>', 'did not return XML'],
    ['another response', '<Other/>', 'a response of another type'],
    ['an entity that grows', '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>', 'did not return XML'],
    ['deep nesting', '<a>'.repeat(200) + '</a>'.repeat(200), 'did not return XML'],
  ])('fails for a response with %s', async (_, body, message) => {
    server.replies({ body, headers: { 'content-type': 'text/xml' } });
    const { error } = await attempt(connector('account'), { pageSize: 3 });
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toContain(message);
  });
});

describe('the configuration of an IAM connector', () => {
  const settings = { type: 'aws-iam' as const, records: 'account' as const, sourcesDir: '/', allowedCidrs: loopback };

  it('can be minimal, and includes a session token', async () => {
    expect(() => createConnector({ ...settings, config: {}, secrets })).not.toThrow();
    start();
    const opened = { ...secrets, session_token: 'FwoGZXIvYXdzEXAMPLE' };
    const config = awsIamConfig.parse({ url: server.origin });
    const access = { records: 'account', secrets: opened, allowedCidrs: loopback, limits: quick } as const;
    expect((await attempt(awsIamConnector(config, access, 1), { pageSize: 100 })).error).toBeUndefined();
    expect(server.asked[0]?.headers['x-amz-security-token']).toBe(opened.session_token);
  });

  it('is rejected without secrets or without anything to read', () => {
    expect(() => createConnector({ ...settings, config: {} })).toThrow("the connector's secrets is invalid");
    expect(() => createConnector({ ...settings, config: { users: 'none' }, secrets })).toThrow(
      'users or roles must be selected',
    );
  });
});

describe('reading one record of IAM', () => {
  it('returns the same result as a full read, for users and roles', async () => {
    start();
    for (const records of ['user', 'machine_identity'] as const) {
      expect((await expectEachAlone(connector(records))).length).toBeGreaterThan(1);
    }
  });
});
