import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { githubConfig, type RecordKind } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person, SourceUnderTest } from '../../test/conformance/source-under-test.js';
import { githubApi, type Organization, tokenIssuer } from '../../test/github-api.js';
import { type Asked, type Handler, loopback, type Reply, testServer } from '../../test/http-server.js';
import { expectEachAlone } from '../../test/read-one.js';
import { attempt, finalRecords } from '../../test/reading.js';
import type { Connector } from '../connector.js';
import { createConnector } from '../create-connector.js';
import type { HttpLimits } from '../http/http-transport.js';
import { githubConnector } from './github-connector.js';

const server = testServer();
const elsewhere = testServer();
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const secrets = { token: 'ghp_s3cret', private_key: pem };
const app = { type: 'app', app_id: 'Iv1.app', installation_id: '42' } as const;

function organization(): Organization {
  const key = (id: number, more: object = {}) => ({
    id,
    key: 'ssh-rsa AAAA',
    url: `https://api.github.com/repos/octo-org/repo/keys/${id}`,
    title: `key ${id}`,
    verified: true,
    created_at: '2024-12-10T15:53:42Z',
    read_only: true,
    added_by: 'mona',
    last_used: '2026-01-10T15:53:42Z',
    enabled: true,
    ...more,
  });
  const keys = [
    [key(1), key(2, { read_only: false, last_used: null, enabled: false })],
    [],
    [],
    [key(3), key(4), key(5), key(6)],
  ];
  return {
    members: Array.from({ length: 10 }, (_, index) => ({
      login: `user-${index}`,
      databaseId: 100 + index,
      name: index === 4 ? null : `User ${index}`,
      email: index % 2 ? `u${index}@home.example` : '',
      role: index === 0 ? 'ADMIN' : 'MEMBER',
    })),
    installations: Array.from({ length: 4 }, (_, index) => ({
      id: 25_381 + index,
      account: { login: 'octo-org', id: 6_811_672, type: 'Organization' },
      repository_selection: 'selected',
      app_id: 2_218 + index,
      app_slug: `app-${index}`,
      target_type: 'Organization',
      permissions: index === 1 ? { organization_administration: 'write' } : { metadata: 'read', contents: 'write' },
      events: ['push'],
      created_at: '2017-05-16T08:47:09.000-07:00',
      updated_at: '2017-06-06T11:23:23.000-07:00',
      suspended_at: index === 2 ? '2020-01-01T00:00:00Z' : null,
    })),
    repositories: keys.map((own, index) => ({
      id: 1_296_269 + index,
      name: `repo-${index}`,
      full_name: `octo-org/repo-${index}`,
      visibility: 'private',
      archived: false,
      keys: own,
    })),
    tokens: [
      {
        id: 25_381,
        owner: { login: 'octocat', id: 1 },
        repository_selection: 'all',
        permissions: { organization: { members: 'read' }, repository: { metadata: 'read' } },
        access_granted_at: '2023-05-16T08:47:09.000-07:00',
        token_id: 98_716,
        token_name: 'Some Token',
        token_expired: true,
        token_expires_at: '2023-11-16T08:47:09.000-07:00',
        token_last_used_at: null,
      },
    ],
  };
}

function connector(records: RecordKind, change: object = {}, limits: Partial<HttpLimits> = quick): Connector {
  const config = githubConfig.parse({ url: `${server.origin}/api/v3`, organization: 'octo-org', ...change });
  return githubConnector(config, { records, secrets, allowedCidrs: loopback, limits }, 1);
}

const saml = { nameId: (login: string) => (login === 'user-3' ? undefined : `${login}@corp.example`) };
const withToken = (source = organization()): Handler =>
  githubApi(server.origin, source, new Set([secrets.token]), saml);

const isTokenRequest = ({ pathname }: URL) => pathname === '/api/v3/app/installations/42/access_tokens';

function withApp(source: Organization, origin: string): Handler {
  const tokens = new Set<string>();
  const issue = tokenIssuer(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), tokens);
  const api = githubApi(origin, source, tokens);
  return (asked) => (isTokenRequest(asked.url) ? issue(asked) : api(asked));
}

const graphqlData = (reply: Reply) =>
  (reply.body as { data: { organization: Record<string, object> } }).data.organization;

const kit = testServer();
const kitUrl = () => ({ url: `${kit.origin}/api/v3` });
const asked = { unsupported: 'the connector requests the page size' };
const permanentCursors = { unsupported: 'its cursors do not expire' };

function membersUnderTest(): SourceUnderTest {
  let api: Handler;
  const open = () => connector('account', { ...kitUrl(), emails: 'saml' });
  const fill = (members: readonly object[]) => {
    const source = { ...organization(), members: members as Organization['members'] };
    api = githubApi(kit.origin, source, new Set([secrets.token]), saml);
    return open();
  };
  const named = (people: readonly Person[]) =>
    people.map(({ name, login }, n) => ({ login, databaseId: 100 + n, name, email: '', role: 'MEMBER' }));
  const spoiled = (member: object) => (people: readonly Person[]) =>
    fill([{ login: 'odd', databaseId: 7, ...member }, ...named(people)]);
  /** Sets the members; their addresses stay the same unless `fallback` is given. */
  const changed = (reply: Reply, change: (list: Record<string, unknown>) => object, fallback?: object): Reply => {
    const found = graphqlData(reply);
    const list = found.membersWithRole as Record<string, unknown> | undefined;
    const organization = list ? { ...found, membersWithRole: change(list) } : (fallback ?? found);
    return { ...reply, body: { data: { organization } } };
  };
  const edgesOf = (reply: Reply) => (graphqlData(reply).membersWithRole as { edges: unknown[] }).edges;
  return {
    name: 'github, its members',
    open,
    fill: (people) => void fill(named(people)),
    emptySource: 'complete',
    secrets: [secrets.token],
    discovers: ['login', 'databaseId', 'role', '@email'],
    readsOne: { unknownId: '1' },
    changes: { unsupported: 'the audit log is not read' },
    bad: {
      withoutId: spoiled({ databaseId: null }),
      ofWrongType: spoiled({ databaseId: { of: 'an object' } }),
      tooLarge: spoiled({ name: 'x'.repeat(20_000) }),
    },
    reached: {
      over: 'http',
      server: kit,
      answer: (asked) => api(asked),
      listOf: ({ body }) => (body.includes('externalIdentities') ? `saml ${body}` : 'members'),
      answerSize: asked,
      renewal: { unsupported: 'its token does not expire' },
      invalidResponses: {
        withoutList: (reply) => changed(reply, ({ edges: _, ...list }) => list, { samlIdentityProvider: {} }),
        emptied: (reply) => changed(reply, (list) => ({ ...list, edges: [], pageInfo: { hasNextPage: false } })),
        repeating: (reply, earlier) =>
          changed(reply, (list) => ({ ...list, edges: [...edgesOf(reply), ...edgesOf(earlier)] })),
        emptyBefore: (reply, { body }, nth) =>
          changed(reply, (list) => {
            const here = Buffer.from(JSON.parse(body).variables.after ?? '', 'base64')
              .toString()
              .split('~')[0];
            const endCursor = Buffer.from(`${here || 'cursor:0'}~${nth}`).toString('base64');
            return { ...list, edges: [], pageInfo: { hasNextPage: true, endCursor } };
          }),
        leadingTo: { unsupported: 'its pages have cursors, not links' },
        expired: permanentCursors,
      },
    },
  };
}
conforms(membersUnderTest());

type Listed = { installations: unknown[] };
const itemsOf = ({ body }: Reply) => (Array.isArray(body) ? body : (body as Listed).installations);
const withItems = ({ body, ...reply }: Reply, items: unknown[]): Reply => ({
  ...reply,
  body: Array.isArray(body) ? items : { ...(body as Listed), installations: items },
});

/** Every second one is an app, and the others are alternately deploy keys and tokens. */
function machinesUnderTest(): SourceUnderTest {
  let api: Handler;
  const machines = ['apps', 'deploy_keys', 'fine_grained_tokens'];
  const open = () => connector('machine_identity', { ...kitUrl(), auth: app, machines });
  const fill = (source: Pick<Organization, 'installations' | 'repositories' | 'tokens'>) => {
    api = withApp({ ...organization(), ...source }, kit.origin);
    return open();
  };
  const named = (people: readonly Person[]) => {
    const {
      installations: [app],
      tokens: [token],
      repositories,
    } = organization();
    const kinds = ['app', 'key', 'app', 'token'];
    const own = (kind: string) => people.flatMap(({ name }, id) => (kinds[id % 4] === kind ? [{ id, name }] : []));
    const keys = own('key').map(({ id, name }) => ({ ...repositories[0]?.keys[0], id, title: name }));
    return {
      installations: own('app').map(({ id, name }) => ({ ...app, id, app_slug: name })),
      repositories: repositories.map((one, n) => ({ ...one, keys: keys.filter((_, k) => k % 2 === n % 2 && n < 2) })),
      tokens: own('token').map(({ id, name }) => ({ ...token, id, token_name: name })),
    };
  };
  const spoiled = (token: object) => (people: readonly Person[]) => {
    const source = named(people);
    return fill({ ...source, tokens: [token, ...source.tokens] });
  };
  return {
    name: 'github, its machines',
    open,
    fill: (people) => void fill(named(people)),
    emptySource: 'complete',
    secrets: [pem, 'ghs_1s3cr3t', 'ghs_2s3cr3t'],
    discovers: ['@id', '@type', '@name', '@permissions'],
    readsOne: { unsupported: 'finding one machine would need the list of every repository' },
    changes: { unsupported: 'the audit log is not read' },
    bad: {
      withoutId: spoiled({ token_name: 'nobody' }),
      ofWrongType: spoiled({ id: { of: 'an object' }, token_name: 'nobody' }),
      tooLarge: spoiled({ id: 7, token_name: 'x'.repeat(20_000) }),
    },
    reached: {
      over: 'http',
      server: kit,
      answer: (asked) => api(asked),
      listOf: ({ url }) => (isTokenRequest(url) ? undefined : url.pathname),
      answerSize: asked,
      renewal: ({ url }) => isTokenRequest(url),
      invalidResponses: {
        withoutList: (reply) => ({ ...reply, body: { message: 'nothing to see' } }),
        emptied: (reply) => ({ ...withItems(reply, []), headers: {} }),
        repeating: (reply, earlier) => withItems(reply, [...itemsOf(reply), ...itemsOf(earlier)]),
        emptyBefore(reply, { url }, nth) {
          const again = new URL(url);
          again.searchParams.set('again', String(nth));
          return { ...withItems(reply, []), headers: { link: `<${again}>; rel="next"` } };
        },
        leadingTo: (reply, link) => ({ ...reply, headers: { link: `<${link}>; rel="next"` } }),
        expired: permanentCursors,
      },
    },
  };
}
conforms(machinesUnderTest());

describe('the GitHub connector for members', () => {
  const member = async (change: object, records: RecordKind = 'account') => {
    server.serve(withToken());
    const { pages, error } = await attempt(connector(records, change), { pageSize: 100 });
    expect(error).toBeUndefined();
    return finalRecords(pages);
  };

  it('reads accounts with the address that the configuration selects', async () => {
    expect((await member({}))['101']).toEqual({
      identifier: ['user-1'],
      display_name: ['User 1'],
      email: ['u1@home.example'],
      status: ['active'],
      'attributes.login': ['user-1'],
      'attributes.role': ['MEMBER'],
      'attributes.two_factor': ['true'],
    });
    expect((await member({}))['100']).toMatchObject({ email: [], 'attributes.role': ['ADMIN'] });
    expect((await member({ emails: 'verified_domain' }, 'user'))['102']).toMatchObject({
      email: ['user-2@octo.example'],
    });
    const bySaml = await member({ emails: 'saml' });
    expect([bySaml['102']?.email, bySaml['103']?.email]).toEqual([['user-2@corp.example'], []]);
  });

  it('reports a hidden member as an error and continues', async () => {
    const api = withToken();
    server.serve(async (asked) => {
      const reply = await api(asked);
      const list = graphqlData(reply).membersWithRole as { edges: unknown[] };
      list.edges[0] = { role: 'MEMBER', node: null };
      return reply;
    });
    const { pages } = await attempt(connector('account'), { pageSize: 100 });
    expect(pages[0]?.errors).toEqual([{ line: 1, message: 'databaseId (external_id) is missing' }]);
    expect(pages[0]?.records).toHaveLength(9);
  });

  it('fails when the token cannot see all members or the SAML provider', async () => {
    const api = githubApi(server.origin, organization(), new Set([secrets.token]));
    server.serve(api);
    const blind = await attempt(connector('account', { emails: 'saml' }), { pageSize: 100 });
    expect((blind.error as Error).message).toContain('returned no SAML provider of the organization "octo-org"');
    const other = await attempt(connector('account', { organization: 'nobody' }), { pageSize: 100 });
    expect(other.error).toMatchObject({
      message: expect.stringContaining('answered with an error (NOT_FOUND)'),
      said: "NOT_FOUND: Could not resolve to an Organization with the login of 'nobody'.",
    });
    server.serve((asked) => {
      const reply = api(asked);
      Object.assign(graphqlData(reply), { viewerIsAMember: false });
      return reply;
    });
    const outside = await attempt(connector('account'), { pageSize: 100 });
    expect((outside.error as Error).message).toContain('is not a member of "octo-org"');
  });
});

describe('the GitHub connector for machines', () => {
  const read = async (source = organization()) => {
    server.serve(withToken(source));
    return attempt(connector('machine_identity', { machines: ['apps', 'deploy_keys', 'fine_grained_tokens'] }), {
      pageSize: 100,
    });
  };

  it('reads apps with permissions, deploy keys and tokens', async () => {
    const words = finalRecords((await read()).pages);
    expect(words['app:25382']).toMatchObject({
      account_id: ['app-1'],
      classification: ['oauth_app'],
      status: ['active'],
      'attributes.type': ['app'],
      'attributes.permissions': ['organization_administration:write'],
      'attributes.privileged': ['true'],
    });
    expect(words['app:25383']).toMatchObject({ status: ['disabled'], 'attributes.privileged': ['false'] });
    expect(words['deploy_key:1']).toEqual({
      account_id: ['key 1'],
      display_name: ['key 1'],
      classification: ['ci_cd'],
      owned_by: ['mona'],
      status: ['active'],
      'attributes.type': ['deploy_key'],
      'attributes.permissions': ['contents:read'],
      'attributes.privileged': [],
      'attributes.repository': ['octo-org/repo-0'],
      'attributes.secret_created_at': ['2024-12-10T15:53:42Z'],
      'attributes.last_used_at': ['2026-01-10T15:53:42Z'],
    });
    expect(words['deploy_key:2']).toMatchObject({ status: ['disabled'], 'attributes.permissions': ['contents:write'] });
    expect(words['token:25381']).toMatchObject({
      owned_by: ['octocat'],
      status: ['disabled'],
      classification: ['api_key'],
    });
  });

  it('fails when the permission for deploy keys is missing, but not when a repository is gone', async () => {
    const hide = (hidden: RegExp): Handler => {
      const api = withToken();
      return (asked) =>
        hidden.test(asked.url.pathname) ? { status: 404, body: { message: 'Not Found' } } : api(asked);
    };
    const visible: Handler = (asked) =>
      /repo-0$/.test(asked.url.pathname) ? { body: {} } : hide(/repo-0\/keys/)(asked);
    server.serve(visible);
    const hidden = await attempt(connector('machine_identity'), { pageSize: 100 });
    expect(hidden.error).toMatchObject({
      message: expect.stringContaining('/repos/{repository}/keys answered 404'),
      said: '/api/v3/repos/octo-org/repo-0/keys: Not Found',
    });
    server.serve(hide(/repo-0/));
    const gone = await attempt(connector('machine_identity'), { pageSize: 100 });
    expect(gone.error).toBeUndefined();
    expect(Object.keys(finalRecords(gone.pages))).not.toContain('deploy_key:1');
    expect(Object.keys(finalRecords(gone.pages))).toContain('deploy_key:3');
  });

  it('fails when the repositories end before the announced last page', async () => {
    const api = withToken();
    const isSecond = ({ url }: Asked) => /repos$/.test(url.pathname) && url.searchParams.get('page') === '2';
    server.serve((asked) => (isSecond(asked) ? { body: [] } : api(asked)));
    const { pages, error } = await attempt(connector('machine_identity', { machines: ['deploy_keys'] }), {
      pageSize: 1,
    });
    expect((error as Error).message).toContain('/orgs/octo-org/repos ended at page 2 of 4, so the list is incomplete');
    expect(pages.some(({ last }) => last)).toBe(false);
  });

  it('follows no link to another origin', async () => {
    elsewhere.replies({ body: [] });
    const api = withToken();
    server.serve(async (asked) => {
      const reply = await api(asked);
      const link = `<${elsewhere.origin}/api/v3/orgs/octo-org/installations?page=2>; rel="next"`;
      return { ...reply, headers: { link } };
    });
    const { error } = await attempt(connector('machine_identity'), { pageSize: 100 });
    expect((error as Error).message).toContain('a link to another origin, which is not followed');
    expect(elsewhere.asked).toEqual([]);
  });
});

describe('a rate limit of GitHub', () => {
  const limited = (reply: Reply, at: (asked: Asked) => boolean = () => true) => {
    const api = withToken();
    let calls = 0;
    server.serve((asked) => (at(asked) && calls++ === 0 ? reply : api(asked)));
  };
  const now = () => ({ date: new Date().toUTCString() });

  it('pauses for the secondary rate limit, also without a time to wait', async () => {
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    for (const headers of [{ ...now() }, { ...now(), 'retry-after': '0.01' }]) {
      limited({ status: 403, headers, body: { message } });
      const { pages, error } = await attempt(connector('account'), { pageSize: 100 });
      expect(error).toBeUndefined();
      expect(pages[0]?.records).toHaveLength(10);
    }
  });

  it('is recognized in a GraphQL response with status 200, as is a timeout', async () => {
    for (const error of [
      { type: 'RATE_LIMITED', message: 'API rate limit exceeded' },
      { message: 'Something went wrong while executing your query. This may be the result of a timeout.' },
    ]) {
      limited({ body: { data: null, errors: [error] } });
      expect((await attempt(connector('account'), { pageSize: 100 })).error).toBeUndefined();
    }
  });

  it('pauses before the primary rate limit and fails if it lasts too long', async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 3_000);
    const headers = { ...now(), 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    limited({ status: 403, headers, body: { message: 'API rate limit exceeded for user ID 1.' } });
    const { error } = await attempt(connector('account'), { pageSize: 100 });
    expect(error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('would exceed the limit of 300 s'),
      said: 'API rate limit exceeded for user ID 1.',
    });
    expect(server.asked).toHaveLength(1);
  });

  it('is not assumed for any other 403', async () => {
    limited({ status: 403, body: { message: 'Resource not accessible by personal access token' } });
    const { error } = await attempt(connector('account'), { pageSize: 100 });
    expect(error).toMatchObject({ code: 'forbidden', said: 'Resource not accessible by personal access token' });
  });
});

describe('the configuration of a GitHub connector', () => {
  const settings = { type: 'github' as const, records: 'account' as const, sourcesDir: '/', allowedCidrs: loopback };
  const config = { url: 'https://github.test/api/v3', organization: 'octo-org' };

  it('can be minimal', async () => {
    server.serve(withToken());
    const served = { ...config, url: `${server.origin}/api/v3` };
    const made = createConnector({ ...settings, config: served, secrets: { token: secrets.token } });
    expect((await attempt(made, { pageSize: 1000 })).error).toBeUndefined();
  });

  it('is rejected without its secret, and no error exposes an invalid key', () => {
    expect(() => createConnector({ ...settings, config })).toThrow('the secret "token" is missing');
    const broken = { private_key: pem.replace('MII', 'xxx') };
    expect(() => createConnector({ ...settings, config: { ...config, auth: app }, secrets: broken })).toThrow(
      'the secret "private_key" is not an RSA private key in PEM format',
    );
  });
});

describe('reading one record of GitHub', () => {
  it('returns the same result as a full read for members and is not supported for machines', async () => {
    server.serve(withToken());
    expect(await expectEachAlone(connector('user'))).toHaveLength(10);
    expect(await expectEachAlone(connector('user', { external_id: 'login' }), ['user-10'])).toHaveLength(10);
    expect(connector('machine_identity').readOne).toBeUndefined();
  });
});
