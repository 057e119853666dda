import { createServer } from 'node:http';
import { encodeId, newUuid, type RoleMapping } from '@idsync/contracts';
import { freePort } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Browser } from '../../test/browser.js';
import { adminToken } from '../../test/gateway-config.js';
import { IdentityProvider, oidcClient } from '../../test/identity-provider.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';
import { maxFailures } from '../access/unknown-key-limits.js';

const session = '/admin/v1/session';
const start = `${session}/oidc/start`;
const elsewhere = encodeId('tenant', newUuid());
const mapping: RoleMapping = [
  { group: 'idsync-admins', role: 'admin' },
  { group: 'hr', role: 'operator', tenants: [elsewhere] },
  { claim: 'email', value: 'audit@example.com', role: 'auditor' },
];
const users = {
  eva: { email: 'eva@example.com', email_verified: true, name: 'Eva', groups: ['staff', 'idsync-admins'] },
  ben: { email: 'ben@example.com', email_verified: true, groups: ['hr'] },
  ida: { email: 'audit@example.com', groups: [] },
  tom: { email: 'tom@example.com', groups: ['staff'] },
};

let url: string;
let provider: IdentityProvider;
let gateway: OperatedGateway;
let settings: object;

beforeAll(async () => {
  const PORT = await freePort();
  url = `http://127.0.0.1:${PORT}`;
  provider = await IdentityProvider.start(url, users);
  settings = { PUBLIC_URL: url, OIDC_ISSUER: provider.issuer, OIDC_ROLE_MAPPING: mapping, ...oidcClient };
  gateway = await OperatedGateway.start({ ...settings, PORT });
});

afterAll(async () => {
  await gateway?.close();
  await provider?.stop();
});

beforeEach(async () => {
  await provider.control('user', { id: 'eva' });
  await provider.control('altered');
});

const locationOf = ({ headers }: { headers: Headers }) => headers.get('location') ?? '';

/** Begins a sign-in, and returns the address at the identity provider. */
const begun = async (browser: Browser, returnTo = '/console/') =>
  locationOf(await browser.call('GET', `${start}?return_to=${encodeURIComponent(returnTo)}`));

/** Signs in up to the redirect that brings the code, which is not sent yet. */
const authenticated = async (browser: Browser) => provider.authenticate(browser, await begun(browser));

/** Signs in, and returns where the browser is sent. */
async function signIn(browser: Browser, user?: string): Promise<string> {
  if (user) await provider.control('user', { id: user });
  return locationOf(await browser.send('GET', await authenticated(browser)));
}

async function signedIn(user: string): Promise<{ browser: Browser; body: Body }> {
  const browser = new Browser(url);
  expect(await signIn(browser, user)).toBe('/console/');
  const { body } = await browser.call('GET', session);
  browser.csrfToken = body.csrf_token;
  return { browser, body };
}

const failure = (code: string) => `/console/sign-in?error=${code}`;
const statusOf = async (browser: Browser) => (await browser.call('GET', session)).status;
const audited = async (action: string): Promise<Body[]> =>
  (await gateway.operator('GET', `/audit?action=${action}`)).body.data;

describe('a sign-in with the identity provider', () => {
  it('is offered with its name', async () => {
    const { body } = await new Browser(url).call('GET', `${session}/methods`);
    expect(body).toEqual({ token: true, oidc: { name: 'single sign-on' } });
  });

  it('starts a session with the role of the group, and records the person', async () => {
    const { browser, body } = await signedIn('eva');
    const actor = { id: `${provider.issuer}#eva`, name: 'eva@example.com', kind: 'oidc', role: 'admin' };
    expect(body).toMatchObject({ actor, end_session_url: `${session}/oidc/end` });
    expect((await browser.call('POST', '/admin/v1/tenants', { name: 'Made by Eva' })).status).toBe(201);
    const [signedInEntry] = await audited('signedIn');
    expect(signedInEntry).toMatchObject({ actor, outcome: 'accepted', address: '127.0.0.1' });
    expect((await audited('createTenant'))[0].actor).toEqual(signedInEntry.actor);
  });

  it('limits the session to the tenants of the group, and takes the first entry that matches', async () => {
    const { browser, body } = await signedIn('ben');
    expect(body.actor).toMatchObject({ role: 'operator', tenants: [elsewhere] });
    expect((await browser.call('GET', '/admin/v1/tenants')).body.total).toBe(0);
    expect((await signedIn('ida')).body.actor).toMatchObject({ role: 'auditor', name: 'audit@example.com' });
  });

  it('gives a person in no mapped group no session, and records the refusal with the name', async () => {
    const browser = new Browser(url);
    expect(await signIn(browser, 'tom')).toBe(failure('no_role'));
    expect(await statusOf(browser)).toBe(401);
    expect((await audited('signInFailed'))[0]).toMatchObject({
      actor: { kind: 'oidc', id: `${provider.issuer}#tom`, name: 'tom@example.com' },
      outcome: 'refused',
      status: 403,
    });
  });

  it('uses PKCE, state and nonce, and a cookie that scripts cannot read', async () => {
    const answer = await new Browser(url).call('GET', start);
    const query = new URL(locationOf(answer)).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${url}${session}/oidc/callback`,
    });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^idsync_sign_in=[\w-]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain(query.get('state'));
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/admin/v1/tenants',
    'console/x',
    '/console/\r\nx',
    '/console/../admin/v1/session/oidc/end',
  ])('returns to no other address than the console: %j', async (returnTo) => {
    const browser = new Browser(url);
    const back = await provider.authenticate(browser, await begun(browser, returnTo));
    expect(locationOf(await browser.send('GET', back))).toBe('/console/');
  });

  it('returns to the page of the console where it began', async () => {
    const browser = new Browser(url);
    const back = await provider.authenticate(browser, await begun(browser, '/console/jobs?status=quarantined'));
    expect(locationOf(await browser.send('GET', back))).toBe('/console/jobs?status=quarantined');
  });
});

describe('an answer of the identity provider', () => {
  it('cannot be used twice, nor by another browser', async () => {
    const browser = new Browser(url);
    const back = await authenticated(browser);
    const pending = browser.cookie('idsync_sign_in') ?? '';
    expect(locationOf(await new Browser(url).send('GET', back))).toBe(failure('expired'));
    expect(locationOf(await browser.send('GET', back))).toBe('/console/');
    expect(locationOf(await browser.send('GET', back))).toBe(failure('expired'));
    const replay = new Browser(url);
    replay.plant('idsync_sign_in', pending);
    expect(locationOf(await replay.send('GET', back))).toBe(failure('invalid_response'));
    expect(await statusOf(replay)).toBe(401);
  });

  it('with a foreign, missing or changed state is rejected', async () => {
    for (const change of [
      (query: URLSearchParams) => query.set('state', 'foreign'),
      (query: URLSearchParams) => query.delete('state'),
      (query: URLSearchParams) => query.append('state', 'second'),
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
      (query: URLSearchParams) => query.set('code', 'invented'),
    ]) {
      const browser = new Browser(url);
      const back = await authenticated(browser);
      change(back.searchParams);
      expect(locationOf(await browser.send('GET', back))).toBe(failure('invalid_response'));
      expect(await statusOf(browser)).toBe(401);
    }
  });

  it('is limited for a network whose answers are refused too often', async () => {
    const own = await gateway.another({ ...settings, TRUSTED_PROXIES: ['127.0.0.0/8'] });
    const callback = `${session}/oidc/callback`;
    const started = await new Browser(own.url).call('GET', start);
    const [cookie = ''] = (started.headers.get('set-cookie') ?? '').split(';');
    const state = new URL(locationOf(started)).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ code: 'invented', state, iss: provider.issuer });
    const answered = async (address: string) =>
      locationOf(
        await new Browser(own.url).call('GET', `${callback}?${query}`, undefined, {
          cookie,
          'x-forwarded-for': address,
        }),
      );
    for (let sent = 0; sent < maxFailures; sent += 1)
      expect(await answered('203.0.113.7')).toBe(failure('invalid_response'));
    expect(await answered('203.0.113.7')).toBe(failure('provider_unavailable'));
    expect(await answered('203.0.113.8')).toBe(failure('invalid_response'));
    await own.close();
  });

  it('to the sign-in of another browser is rejected', async () => {
    const [victim, attacker] = [new Browser(url), new Browser(url)];
    await begun(victim);
    expect(locationOf(await victim.send('GET', await authenticated(attacker)))).toBe(failure('invalid_response'));
  });

  it('that says that the person declined is shown as that', async () => {
    const browser = new Browser(url);
    const state = new URL(await begun(browser)).searchParams.get('state');
    const query = new URLSearchParams({ error: 'access_denied', state: state ?? '', iss: provider.issuer });
    expect(locationOf(await browser.call('GET', `${session}/oidc/callback?${query}`))).toBe(failure('denied'));
  });

  it.each([
    ['for another audience', { aud: 'another-client' }],
    ['for several audiences', { aud: ['idsync', 'another-client'], azp: 'idsync' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['that expired two minutes ago', { exp: Math.floor(Date.now() / 1_000) - 120 }],
    ['that is valid in two hours only', { nbf: Math.floor(Date.now() / 1_000) + 7_200 }],
  ])('with an ID token %s is rejected', async (_, claims) => {
    await provider.control('altered', {
      claims: { ...claims, ...('nonce' in claims && { nonce: claims.nonce ?? null }) },
    });
    const browser = new Browser(url);
    expect(await signIn(browser)).toBe(failure('invalid_response'));
    expect(await statusOf(browser)).toBe(401);
  });

  it.each([
    ['behind', () => ({ exp: Math.floor(Date.now() / 1_000) - 30 })],
    ['ahead', () => ({ nbf: Math.floor(Date.now() / 1_000) + 30, iat: Math.floor(Date.now() / 1_000) + 30 })],
  ])('is accepted from a provider whose clock is half a minute %s', async (_, claims) => {
    await provider.control('altered', { claims: claims() });
    expect(await signIn(new Browser(url))).toBe('/console/');
  });

  it('is accepted after the identity provider has changed its keys', async () => {
    expect(await signIn(new Browser(url))).toBe('/console/');
    await provider.control('rotate');
    expect(await signIn(new Browser(url))).toBe('/console/');
  });
});

describe('an identity provider', () => {
  it('that is down or silent leads to an error within its time limit, and works when it is back', async () => {
    const port = await freePort();
    const silent = createServer(() => undefined);
    const own = await OperatedGateway.start({ ...settings, OIDC_ISSUER: `http://127.0.0.1:${port}` });
    const browser = new Browser(own.url);
    expect(await begun(browser)).toBe(failure('provider_unavailable'));
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    const before = performance.now();
    expect(await begun(browser)).toBe(failure('provider_unavailable'));
    expect(performance.now() - before).toBeLessThan(30_000);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    const back = await IdentityProvider.start(url, users, { port });
    expect(await begun(browser)).toContain(`http://127.0.0.1:${port}/auth?`);
    await back.stop();
    await own.close();
  });

  it('that is not set has no routes, and its sessions end', async () => {
    const { browser } = await signedIn('eva');
    const without = await gateway.another({});
    const there = new Browser(without.url);
    there.plant('idsync_session', browser.cookie('idsync_session') ?? '');
    expect(await statusOf(there)).toBe(401);
    for (const path of ['start', 'callback', 'end']) {
      expect((await there.call('GET', `${session}/oidc/${path}`)).status).toBe(404);
    }
    expect((await there.call('POST', `${session}/device`)).status).toBe(404);
    await without.close();
  });

  it('with another role mapping ends the sessions of the earlier one', async () => {
    const { browser } = await signedIn('eva');
    const changed = await gateway.another({ ...settings, OIDC_ROLE_MAPPING: mapping.slice(1) });
    const there = new Browser(changed.url);
    there.plant('idsync_session', browser.cookie('idsync_session') ?? '');
    expect(await statusOf(there)).toBe(401);
    expect(await statusOf(browser)).toBe(200);
    await changed.close();
  });
});

describe('a sign-out', () => {
  it('is followed by one at the identity provider, which reports it to idsync', async () => {
    const [here, other] = [await signedIn('eva'), await signedIn('ben')];
    const end = locationOf(await here.browser.call('GET', here.body.end_session_url));
    expect(end).toContain(`${provider.issuer}/session/end?`);
    const { id_token_hint = '', ...query } = Object.fromEntries(new URL(end).searchParams);
    expect(query).toEqual({ client_id: 'idsync', post_logout_redirect_uri: `${url}/console/sign-in` });
    expect(JSON.parse(Buffer.from(id_token_hint.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      iss: provider.issuer,
      aud: 'idsync',
      sub: 'eva',
    });
    // The ID token is used once.
    expect(here.browser.cookie('idsync_id_token')).toBeUndefined();
    expect(locationOf(await here.browser.call('GET', here.body.end_session_url))).not.toContain('id_token_hint');
    expect(await statusOf(here.browser)).toBe(200);
    await provider.submit(here.browser, end, '/session/end/confirm', { logout: 'yes' });
    expect([await statusOf(here.browser), await statusOf(other.browser)]).toEqual([401, 200]);
    expect((await audited('signedOutByProvider'))[0]).toMatchObject({
      actor: { kind: 'oidc', id: `${provider.issuer}#eva`, name: 'eva@example.com' },
      outcome: 'observed',
    });
  });
});

describe('a logout token', () => {
  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const send = async (token: string) => {
    const body = new URLSearchParams({ logout_token: token }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return (await new Browser(url).send('POST', new URL(`${session}/oidc/backchannel-logout`, url), body, type)).status;
  };
  const signed = async (claims: object, more: object = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1_000);
    const standard = { iss: provider.issuer, aud: 'idsync', iat: now, exp: now + 120, jti: newUuid(), events: event };
    return (await provider.control('sign', { claims: { ...standard, ...claims }, typ: 'logout+jwt', ...more })).token;
  };

  it('ends all sessions of its subject once', async () => {
    const [first, second, other] = [await signedIn('eva'), await signedIn('eva'), await signedIn('ben')];
    const token = await signed({ sub: 'eva' });
    expect(await send(token)).toBe(200);
    expect(await Promise.all([first, second, other].map(({ browser }) => statusOf(browser)))).toEqual([401, 401, 200]);
    const again = await signedIn('eva');
    expect(await send(token)).toBe(400);
    expect(await statusOf(again.browser)).toBe(200);
  });

  it('with a session ends only this one', async () => {
    const [first, second] = [await signedIn('eva'), await signedIn('eva')];
    const [row] = await gateway.fixture.rows<{ sid: string }>(
      `select provider_session as sid from operator_sessions where subject = 'eva' order by created_at desc, id desc`,
    );
    expect(await send(await signed({ sid: row?.sid }))).toBe(200);
    expect([await statusOf(first.browser), await statusOf(second.browser)]).toEqual([200, 401]);
  });

  it('that is not valid ends nothing', async () => {
    const { browser } = await signedIn('eva');
    const old = Math.floor(Date.now() / 1_000) - 3_600;
    const wrong: [object, object?][] = [
      [{ sub: 'eva', aud: 'another' }],
      [{ sub: 'eva', iss: 'https://evil.example' }],
      [{ sub: 'eva', iat: old, exp: old + 120 }],
      [{ sub: 'eva', iat: old, exp: undefined }],
      [{ sub: 'eva', nonce: 'x' }],
      [{ sub: 'eva', events: {} }],
      [{ sub: 'eva', events: undefined }],
      [{ sub: 'eva', jti: undefined }],
      [{}],
      [{ sub: 'eva' }, { foreign: true }],
    ];
    for (const [claims, more] of wrong) expect([claims, await send(await signed(claims, more))]).toEqual([claims, 400]);
    for (const text of ['', 'x', 'a.b.c']) expect(await send(text)).toBe(400);
    const [header, body] = (await signed({ sub: 'eva' })).split('.');
    expect(await send(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`)).toBe(400);
    expect(await send(`${header}.${body}.`)).toBe(400);
    expect(await statusOf(browser)).toBe(200);
  });

  it('is accepted as a form only, and no other route accepts a form', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = (path: string) => new Browser(url).send('POST', new URL(path, url), 'token=x', type);
    expect((await form(session)).status).toBe(400);
    expect((await form(`${session}/oidc/backchannel-logout`)).status).toBe(400);
  });
});

describe('a sign-in on another device', () => {
  it('gives the program a session when the person has confirmed it, and not before', async () => {
    const program = new Browser(url);
    const { status, body } = await program.call('POST', `${session}/device`);
    expect({ status, body }).toMatchObject({ status: 201, body: { interval: 5, user_code: expect.any(String) } });
    const complete = () => program.call('POST', `${session}/device/token`, { handle: body.handle });
    expect((await complete()).body).toEqual({ status: 'pending' });
    const person = new Browser(provider.issuer);
    const { user_code } = body;
    const confirmed = await provider.submit(person, body.verification_uri, '/device', { user_code, confirm: 'yes' });
    for (let next = confirmed.headers.get('location'); next !== null; ) {
      next = (await person.send('GET', new URL(next, provider.issuer))).headers.get('location');
    }
    const { body: done } = await complete();
    expect(done).toMatchObject({ status: 'complete', session: { actor: { kind: 'oidc', name: 'eva@example.com' } } });
    const made = await gateway.operatorAs(done.token, 'POST', '/tenants', { name: 'By a program' });
    expect(made.status).toBe(201);
    expect((await gateway.operatorAs(done.token, 'DELETE', '/session')).status).toBe(204);
    expect((await gateway.operatorAs(done.token, 'GET', '/session')).status).toBe(401);
    expect((await complete()).status).toBe(400);
  });

  it('is refused with an invented handle', async () => {
    const answer = await new Browser(url).call('POST', `${session}/device/token`, { handle: 'invented' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'handle is not valid' } });
  });
});

describe('ADMIN_TOKEN', () => {
  it('still signs in beside the identity provider', async () => {
    const browser = new Browser(url);
    expect((await browser.signIn(adminToken)).actor.kind).toBe('admin_token');
  });
});
