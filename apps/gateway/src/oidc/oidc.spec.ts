import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeId, newUuid, type RoleMapping, roleMapping } from '@idsync/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { errors } from 'jose';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { boundedFetch } from './bounded-fetch.js';
import { decodeHint, encodeHint } from './logout-hint.js';
import { decodePending, encodePending, returnPath } from './pending-sign-in.js';
import { claimAt, mappedRole, nameIn } from './role-mapping.js';
import { asSignInError, SignInError } from './sign-in-error.js';

describe('a request to the identity provider', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function serve(answer: RequestListener): Promise<string> {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('returns status, headers and body', async () => {
    const url = await serve((_, response) => response.writeHead(400, { 'x-one': '1' }).end('{"error":"no"}'));
    const response = await boundedFetch(5_000)(url, { method: 'POST', body: 'x' });
    expect([response.status, response.headers.get('x-one'), await response.json()]).toEqual([
      400,
      '1',
      { error: 'no' },
    ]);
  });

  it('follows no redirect', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const response = await boundedFetch(5_000)(url, {});
    expect([response.status, paths]).toEqual([302, ['/']]);
  });

  it('needs TLS if the issuer has it', async () => {
    const url = await serve((_, response) => response.end('{}'));
    await expect(boundedFetch(5_000, 'https://login.example.com')(url, {})).rejects.toThrow('without https');
    expect((await boundedFetch(5_000, 'http://localhost:9000')(url, {})).status).toBe(200);
  });

  it('fails beyond its size', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(1_048_577)));
    await expect(boundedFetch(5_000)(url, {})).rejects.toThrow('larger than 1048576 bytes');
  });

  it('fails beyond its time, also if the response has begun', async () => {
    const url = await serve((_, response) => response.writeHead(200).write('{'));
    await expect(boundedFetch(50)(url, {})).rejects.toThrow('timeout');
  });
});

describe('the ID token in the browser', () => {
  const keys = [Buffer.alloc(32, 1)] as const;
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJldmEifQ.c2lnbmF0dXJl';

  it('is encrypted, and read by every gateway with the key, also during a rotation', () => {
    const text = encodeHint(token, keys) ?? '';
    expect(text).toMatch(/^[\w-]+$/);
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('eyJ');
    expect(decodeHint(text, keys)).toBe(token);
    expect(decodeHint(text, [Buffer.alloc(32, 2), ...keys])).toBe(token);
  });

  it('is ignored if it is absent, changed, or encrypted with another key', () => {
    const text = encodeHint(token, keys) ?? '';
    expect(decodeHint(text, [Buffer.alloc(32, 2)])).toBeUndefined();
    for (const wrong of [undefined, '', 'x', `${text.slice(0, -4)}AAAA`])
      expect(decodeHint(wrong, keys)).toBeUndefined();
  });

  it('is left out if a cookie cannot hold it', () => {
    expect(encodeHint('x'.repeat(2_700), keys)).toBeDefined();
    expect(encodeHint('x'.repeat(3_000), keys)).toBeUndefined();
  });
});

const keys = [Buffer.alloc(32, 1)] as const;
const pending = { state: 's', nonce: 'n', verifier: 'v', returnTo: '/console/', expiresAt: Date.now() + 60_000 };

describe('a sign-in that waits for the identity provider', () => {
  it('is encrypted, and read by every gateway with the key, also during a rotation', () => {
    const text = encodePending(pending, keys);
    expect(text).toMatch(/^[\w-]+$/);
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('verifier');
    expect(decodePending(text, keys)).toEqual(pending);
    expect(decodePending(text, [Buffer.alloc(32, 2), ...keys])).toEqual(pending);
  });

  it('is refused after its time, with another key, changed, or invented', () => {
    const text = encodePending(pending, keys);
    expect(decodePending(text, keys, pending.expiresAt)).toBeUndefined();
    expect(decodePending(text, [Buffer.alloc(32, 2)])).toBeUndefined();
    for (const wrong of ['', 'x', `${text.slice(0, -4)}AAAA`, text.slice(4)])
      expect(decodePending(wrong, keys)).toBeUndefined();
  });
});

describe('the page after a sign-in', () => {
  it.each(['/console/', '/console/jobs/job_1?status=open&q=a%20b', '/console/people/a@b', '/console/a/../b'])(
    'is the given one: %s',
    (path) => {
      expect(returnPath(path)).toBe(path);
    },
  );

  it.each([
    ...[undefined, ['/console/'], '', '/', '/admin/v1/tenants', 'https://evil.example', '//evil.example/console/'],
    ...[
      '/console',
      '/console\\evil',
      '/console/\n',
      '/console/<script>',
      '/console/#x',
      '/console/../admin/v1/session/oidc/end',
      '/console/%2e%2e/docs',
      '/console/x/../..//evil.example',
      `/console/${'x'.repeat(1_000)}`,
    ],
  ])('is the console for anything else: %j', (path) => {
    expect(returnPath(path)).toBe('/console/');
  });
});

const uuid = newUuid();
const mapping: RoleMapping = [
  { group: 'admins', role: 'admin' },
  { group: 'hr', role: 'operator', tenants: [encodeId('tenant', uuid)] },
  { claim: 'email', value: 'eva@example.com', role: 'auditor' },
];
const roleOf = (claims: object, claim = 'groups') => mappedRole({ ...claims }, claim, mapping);

describe('the role of a person', () => {
  it('is that of the first entry with one of its groups or claims', () => {
    expect(roleOf({ groups: ['hr', 'admins'] })).toEqual({ role: 'admin', tenantIds: null });
    expect(roleOf({ groups: ['hr'] })).toEqual({ role: 'operator', tenantIds: [uuid] });
    expect(roleOf({ groups: 'hr' })).toEqual({ role: 'operator', tenantIds: [uuid] });
    expect(roleOf({ groups: [], email: 'eva@example.com' })).toEqual({ role: 'auditor', tenantIds: null });
  });

  it.each([
    {},
    { groups: [] },
    { groups: ['admin', 'ADMINS'] },
    { groups: 'admins,hr' },
    { groups: { admins: true } },
    { groups: null },
  ])('does not exist without an entry: %j', (claims) => {
    expect(roleOf(claims)).toBeUndefined();
  });

  it.each([false, 'false'])('is not given by an email address whose verification is %j', (email_verified) => {
    const claims = { email: 'eva@example.com', email_verified };
    expect(roleOf(claims)).toBeUndefined();
    expect(mappedRole(claims, 'email', [{ group: 'eva@example.com', role: 'admin' }])).toBeUndefined();
    expect(roleOf({ ...claims, groups: ['hr'] })?.role).toBe('operator');
    expect(roleOf({ ...claims, email_verified: true })?.role).toBe('auditor');
  });

  it('can be in a nested claim, or in one whose name has dots', () => {
    expect(roleOf({ realm_access: { roles: ['admins'] } }, 'realm_access.roles')?.role).toBe('admin');
    expect(roleOf({ 'https://example.com/groups': ['admins'] }, 'https://example.com/groups')?.role).toBe('admin');
    expect(claimAt({ a: 'text' }, 'a.length')).toBeUndefined();
    expect(claimAt({}, 'constructor.name')).toBeUndefined();
  });

  it('is never valid for all tenants because of a mistake in the mapping', () => {
    for (const tenants of [[], ['ten_wrong'], 'all', null]) {
      expect(roleMapping.safeParse([{ group: 'hr', role: 'admin', tenants }]).success).toBe(false);
    }
    for (const entry of [
      { role: 'admin' },
      { group: 'x', role: 'root' },
      { group: '', role: 'admin' },
      { group: 'x', claim: 'y', role: 'admin' },
    ]) {
      expect(roleMapping.safeParse([entry]).success).toBe(false);
    }
    expect(roleMapping.parse(mapping)).toEqual(mapping);
  });
});

describe('the name of a person in the audit log', () => {
  it('is the email address unless it is unverified, then another name, then the subject', () => {
    const all = { email: 'e@example.com', preferred_username: 'eva', name: 'Eva', sub: '1' };
    expect(nameIn(all)).toBe('e@example.com');
    expect(nameIn({ ...all, email_verified: false })).toBe('eva');
    expect(nameIn({ name: ' Eva ', sub: '1' })).toBe('Eva');
    expect(nameIn({ email: '', name: 7, sub: '1' })).toBe('1');
    expect(nameIn({})).toBe('unknown');
  });
});

describe('an error of a sign-in', () => {
  const refusal = (error: string) =>
    new AuthorizationResponseError('refused', { cause: new URLSearchParams({ error }) } as never);
  const response = (status: number) =>
    new ResponseBodyError('failed', {
      cause: { error: 'server_error' },
      response: new Response(null, { status }),
    } as never);
  const client = (code: string) => Object.assign(new ClientError('failed'), { code });

  it.each([
    ['a person who refused', refusal('access_denied'), 'denied'],
    ['another refusal of the provider', refusal('invalid_scope'), 'invalid_response'],
    ['a refused code', response(400), 'invalid_response'],
    ['a provider that fails', response(503), 'provider_unavailable'],
    ['keys that do not arrive', new errors.JWKSTimeout(), 'provider_unavailable'],
    ['keys that cannot be read', new errors.JOSEError('no keys'), 'provider_unavailable'],
    ['a token for another client', new errors.JWTClaimValidationFailed('aud', {}), 'invalid_response'],
    ['a time-out', client('OAUTH_TIMEOUT'), 'provider_unavailable'],
    ['a wrong nonce', client('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'invalid_response'],
    ['a refused connection', new TypeError('fetch failed'), 'provider_unavailable'],
    ['a value that is no error', 'broken', 'provider_unavailable'],
  ])('classifies %s', (_, error, code) => {
    expect(asSignInError(error)).toMatchObject({ code });
  });

  it('keeps an error that is classified, and the cause of any other', () => {
    const known = new SignInError('no_role', 'no role');
    expect(asSignInError(known)).toBe(known);
    const cause = new TypeError('fetch failed');
    expect(asSignInError(cause).cause).toBe(cause);
  });
});
