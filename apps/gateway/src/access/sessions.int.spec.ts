import { Database } from '@idsync/database';
import { deleteEndedSessions } from '@idsync/database/gateway';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../../test/browser.js';
import { adminToken, gatewayConfig } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';
import { maxFailures } from './unknown-key-limits.js';

const name = 'idsync_session';
const path = '/admin/v1/session';

let gateway: OperatedGateway;
let tenant: string;

const issue = async (body: object): Promise<Body> => (await gateway.operator('POST', '/service-tokens', body)).body;
const signedIn = async (token: string, url = gateway.url) => {
  const browser = new Browser(url);
  const body = await browser.signIn(token);
  return { browser, body };
};
const statusOf = async (browser: Browser) => (await browser.call('GET', path)).status;
const stored = (values: string) => gateway.fixture.rows(`update operator_sessions set ${values}`);
const audited = async (action: string): Promise<Body[]> =>
  (await gateway.operator('GET', `/audit?action=${action}`)).body.data;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  tenant = (await gateway.operator('POST', '/tenants', { name: 'Acme' })).body.id;
});

afterAll(() => gateway?.close());

describe('a sign-in', () => {
  it('with a service token starts a session with its name, role and tenants', async () => {
    const { token, id } = await issue({ name: 'eva', role: 'operator', tenants: [tenant] });
    const { browser, body } = await signedIn(token);
    expect(body).toEqual({
      actor: { id, name: 'eva', kind: 'service_token', role: 'operator', tenants: [tenant] },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.any(String),
      idle_expires_at: expect.any(String),
    });
    expect((await browser.call('GET', path)).body).toMatchObject({ actor: body.actor, csrf_token: body.csrf_token });
    expect((await browser.call('GET', '/admin/v1/tenants')).body).toMatchObject({ data: [{ id: tenant }], total: 1 });
  });

  it('with ADMIN_TOKEN starts a session of the admin', async () => {
    const { browser, body } = await signedIn(adminToken);
    expect(body.actor).toEqual({ id: 'admin_token', name: 'operator', kind: 'admin_token', role: 'admin' });
    expect((await browser.call('POST', '/admin/v1/tenants', { name: 'By cookie' })).status).toBe(201);
  });

  it('sets a cookie that scripts cannot read and other pages do not send', async () => {
    const answer = await new Browser(gateway.url).call('POST', path, { token: adminToken });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^idsync_session=iso_\w{26}_[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('over HTTPS sets a cookie that no other host can set, and no other name is accepted', async () => {
    const secure = await gateway.another({ PUBLIC_URL: 'https://idsync.example' });
    const browser = new Browser(secure.url);
    const answer = await browser.call('POST', path, { token: adminToken });
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-idsync_session=.*; HttpOnly; Secure; SameSite=Strict$/);
    expect(await statusOf(browser)).toBe(200);
    const planted = new Browser(secure.url);
    planted.plant(name, browser.cookie('__Host-idsync_session') ?? '');
    expect(await statusOf(planted)).toBe(401);
    await secure.close();
  });

  it('is offered without a sign-in', async () => {
    expect((await new Browser(gateway.url).call('GET', `${path}/methods`)).body).toEqual({ token: true });
  });

  it('is rejected with a wrong, revoked or malformed token, and from a page of another origin', async () => {
    const browser = new Browser(gateway.url);
    for (const token of ['wrong', `${adminToken}x`, `ist_${'0'.repeat(26)}_${'A'.repeat(43)}`]) {
      expect((await browser.call('POST', path, { token })).status).toBe(401);
    }
    for (const body of [{}, { token: '' }, { token: 1 }, { token: adminToken, more: 1 }]) {
      expect((await browser.call('POST', path, body)).status).toBe(400);
    }
    const elsewhere: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of elsewhere) {
      expect((await browser.call('POST', path, { token: adminToken }, headers)).status).toBe(403);
    }
    expect(browser.cookie(name)).toBeUndefined();
  });

  it('is limited for a network that tries too many wrong tokens', async () => {
    const own = await gateway.another({ TRUSTED_PROXIES: ['127.0.0.0/8'] });
    const attempt = (address: string, token: string) =>
      new Browser(own.url).call('POST', path, { token }, { 'x-forwarded-for': address });
    for (let sent = 0; sent < maxFailures; sent += 1) await attempt('203.0.113.7', 'wrong');
    // Also for the right token: otherwise guessing could go on.
    for (const token of ['wrong', adminToken]) {
      const refused = await attempt('203.0.113.7', token);
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    }
    expect((await attempt('203.0.113.8', adminToken)).status).toBe(201);
    await own.close();
  });

  it('is recorded with the address and the session, and so is what the session does', async () => {
    const { token, id } = await issue({ name: 'recorded', role: 'admin' });
    const { browser } = await signedIn(token);
    const [entry] = await audited('signedIn');
    expect(entry).toMatchObject({
      actor: { kind: 'service_token', id, name: 'recorded', role: 'admin', session: expect.stringMatching(/^ses_/) },
      address: '127.0.0.1',
      outcome: 'accepted',
    });
    expect(entry.resource).toBe(entry.actor.session);
    await browser.call('PATCH', `/admin/v1/tenants/${tenant}`, { name: 'Renamed' });
    expect((await audited('updateTenant'))[0].actor).toEqual(entry.actor);
    await browser.call('DELETE', path);
    expect((await audited('signedOut'))[0]).toMatchObject({ actor: entry.actor, resource: entry.resource });
  });
});

describe('the sessions of operators', () => {
  const listed = async (call: () => Promise<{ body: Body }>): Promise<Body[]> => (await call()).body.data;
  const asAdmin = () => gateway.operator('GET', '/sessions?limit=200');

  it('are listed with who signed in, how, since when and until when, and without their secrets', async () => {
    await gateway.fixture.rows('delete from operator_sessions');
    const { token, id } = await issue({ name: 'نورة', role: 'operator', tenants: [tenant] });
    const first = await signedIn(token);
    const own = await signedIn(adminToken);
    const page = await own.browser.call('GET', '/admin/v1/sessions');
    expect(page.body).toMatchObject({ total: 2, limit: 50, offset: 0 });
    const times = {
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: own.body.expires_at,
      idle_expires_at: own.body.idle_expires_at,
    };
    expect(page.body.data).toEqual([
      { id: expect.stringMatching(/^ses_/), actor: own.body.actor, ...times, current: true },
      {
        id: expect.stringMatching(/^ses_/),
        actor: { id, name: 'نورة', kind: 'service_token', role: 'operator', tenants: [tenant] },
        ...times,
        expires_at: first.body.expires_at,
        idle_expires_at: first.body.idle_expires_at,
        current: false,
      },
    ]);
    const text = JSON.stringify(page.body);
    const hashes = await gateway.fixture.rows<{ text: string }>(
      `select encode(secret_hash, format) as text from operator_sessions, unnest('{hex,base64}'::text[]) as format`,
    );
    const secrets = [first, own].flatMap(({ browser, body }) => [browser.cookie(name)?.slice(-43), body.csrf_token]);
    for (const secret of [...secrets, ...hashes.map((hash) => hash.text)]) expect(text).not.toContain(secret);
    const second = await own.browser.call('GET', '/admin/v1/sessions?limit=1&offset=1');
    expect(second.body).toMatchObject({ data: [{ actor: { name: 'نورة' } }], total: 2 });
  });

  it('have ids that are no credentials', async () => {
    await signedIn(adminToken);
    const [session] = await listed(asAdmin);
    const id = String(session?.id);
    for (const text of [id, id.replace('ses_', 'iso_'), `${id.replace('ses_', 'iso_')}_${'A'.repeat(43)}`]) {
      const thief = new Browser(gateway.url);
      thief.plant(name, text);
      expect(await statusOf(thief)).toBe(401);
      expect((await new Browser(gateway.url).call('GET', path, undefined, bearer(text))).status).toBe(401);
    }
  });

  it('are not listed after their end', async () => {
    await gateway.fixture.rows('delete from operator_sessions');
    const { token, id } = await issue({ name: 'gone', role: 'admin' });
    const out = await signedIn(token);
    await signedIn(token);
    await signedIn(adminToken);
    expect(await listed(asAdmin)).toHaveLength(3);
    await out.browser.call('DELETE', path);
    expect(await listed(asAdmin)).toHaveLength(2);
    await gateway.operator('DELETE', `/service-tokens/${id}`);
    expect((await listed(asAdmin)).map(({ actor }) => actor.kind)).toEqual(['admin_token']);
    const other = await gateway.another({ ADMIN_TOKEN_DISABLED: true });
    const { token: root } = await issue({ name: 'root', role: 'admin' });
    const elsewhere = await new Browser(other.url).call('GET', '/admin/v1/sessions', undefined, bearer(root));
    expect(elsewhere.body.data).toEqual([]);
    await other.close();
    await stored(`last_used_at = now() - interval '30 minutes'`);
    expect(await listed(asAdmin)).toEqual([]);
    await stored('last_used_at = now(), expires_at = now()');
    expect(await listed(asAdmin)).toEqual([]);
  });

  it('are ended by an admin on all gateways at once, which is recorded', async () => {
    await gateway.fixture.rows('delete from operator_sessions');
    const { browser } = await signedIn((await issue({ name: 'lost laptop', role: 'admin' })).token);
    const elsewhere = await gateway.another({});
    const there = new Browser(elsewhere.url);
    there.plant(name, browser.cookie(name) ?? '');
    expect(await statusOf(there)).toBe(200);
    const [session] = await listed(asAdmin);
    const end = () => gateway.operator('DELETE', `/sessions/${session?.id}`);
    expect((await end()).status).toBe(204);
    expect([await statusOf(browser), await statusOf(there)]).toEqual([401, 401]);
    await elsewhere.close();
    expect((await end()).status).toBe(404);
    const entries = await audited('endSession');
    expect(entries.filter(({ outcome }) => outcome === 'accepted')).toMatchObject([
      {
        actor: { kind: 'admin_token' },
        resource: session?.id,
        before: { actor: { name: 'lost laptop', role: 'admin' }, id: session?.id },
      },
    ]);
  });
});

describe('a session', () => {
  it('reads with the cookie alone, and writes with its CSRF token from the same origin only', async () => {
    const { browser, body } = await signedIn(adminToken);
    const other = await signedIn(adminToken);
    browser.csrfToken = undefined;
    const write = async (headers: Record<string, string>) => {
      const answer = await browser.call('POST', '/admin/v1/tenants', { name: 'Written' }, headers);
      return { status: answer.status, requestId: answer.headers.get('x-request-id') };
    };
    expect((await browser.call('GET', '/admin/v1/tenants')).status).toBe(200);
    const csrf = { 'x-csrf-token': body.csrf_token };
    const forged: Record<string, string>[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': other.body.csrf_token },
      { ...csrf, 'sec-fetch-site': 'same-site' },
      { ...csrf, 'sec-fetch-site': 'cross-site' },
      { ...csrf, origin: 'https://evil.example' },
      { ...csrf, origin: 'null' },
    ];
    for (const headers of forged) {
      const { status, requestId } = await write(headers);
      expect([headers, status]).toEqual([headers, 403]);
      const { body: found } = await gateway.operator('GET', `/audit?request_id=${requestId}`);
      expect(found.data).toMatchObject([{ action: 'createTenant', outcome: 'refused', status: 403 }]);
    }
    for (const headers of [csrf, { ...csrf, 'sec-fetch-site': 'same-origin' }, { ...csrf, origin: gateway.url }]) {
      expect((await write(headers)).status).toBe(201);
    }
  });

  it('is not used if the request has a bearer token, even a wrong one', async () => {
    const { browser } = await signedIn(adminToken);
    browser.csrfToken = undefined;
    const viewer = (await issue({ name: 'bearer', role: 'viewer' })).token;
    const as = (token: string) => browser.call('POST', '/admin/v1/tenants', { name: 'x' }, bearer(token));
    expect((await as('wrong')).status).toBe(401);
    expect((await as(viewer)).body).toEqual({ error: 'this needs the role admin, the token has viewer' });
    expect((await as(adminToken)).status).toBe(201);
    const shown = await browser.call('GET', path, undefined, bearer(viewer));
    expect(shown.body).toEqual({ actor: expect.objectContaining({ name: 'bearer' }) });
    expect((await browser.call('DELETE', path, undefined, bearer(viewer))).status).toBe(400);
  });

  it('ends for every holder of its cookie when the operator signs out', async () => {
    const { browser } = await signedIn(adminToken);
    const copy = new Browser(gateway.url);
    copy.plant(name, browser.cookie(name) ?? '');
    expect(await statusOf(copy)).toBe(200);
    expect((await browser.call('DELETE', path, undefined, { 'x-csrf-token': 'wrong' })).status).toBe(403);
    expect((await browser.call('DELETE', path)).status).toBe(204);
    expect(browser.cookie(name)).toBeUndefined();
    expect([await statusOf(copy), await statusOf(browser)]).toEqual([401, 401]);
    expect((await browser.call('DELETE', path)).status).toBe(401);
  });

  it('ends without use, although every use extends it', async () => {
    const { browser } = await signedIn(adminToken);
    await stored(`last_used_at = now() - interval '29 minutes'`);
    const { body } = await browser.call('GET', path);
    expect(Date.parse(body.idle_expires_at)).toBeLessThan(Date.now() + 2 * 60_000);
    const next = await browser.call('GET', path);
    expect(Date.parse(next.body.idle_expires_at)).toBeGreaterThan(Date.now() + 29 * 60_000);
    await stored(`last_used_at = now() - interval '30 minutes'`);
    expect(await statusOf(browser)).toBe(401);
  });

  it('ends at its absolute end, although it is in use', async () => {
    const { browser, body } = await signedIn(adminToken);
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now() + 11.9 * 3_600_000);
    await stored(`expires_at = now() + interval '1 minute'`);
    const shown = (await browser.call('GET', path)).body;
    expect(shown.idle_expires_at).toBe(shown.expires_at);
    await stored('expires_at = now()');
    expect(await statusOf(browser)).toBe(401);
  });

  it('ends when its service token is revoked or expires, and takes over a change of its role', async () => {
    const { token, id } = await issue({ name: 'revoked', role: 'admin' });
    const { browser } = await signedIn(token);
    const elsewhere = await gateway.another({});
    const there = new Browser(elsewhere.url);
    there.plant(name, browser.cookie(name) ?? '');
    expect(await statusOf(there)).toBe(200);
    await gateway.operator('DELETE', `/service-tokens/${id}`);
    expect([await statusOf(browser), await statusOf(there)]).toEqual([401, 401]);
    await elsewhere.close();
    const short = await signedIn((await issue({ name: 'expiring', role: 'admin' })).token);
    await gateway.fixture.rows(`update service_tokens set role = 'viewer' where name = 'expiring'`);
    expect((await short.browser.call('POST', '/admin/v1/tenants', { name: 'x' })).status).toBe(403);
    await gateway.fixture.rows(`update service_tokens set expires_at = now() where name = 'expiring'`);
    expect(await statusOf(short.browser)).toBe(401);
  });

  it('of ADMIN_TOKEN ends when ADMIN_TOKEN changes or is disabled', async () => {
    const { browser } = await signedIn(adminToken);
    for (const change of [{ ADMIN_TOKEN_DISABLED: true }, { ADMIN_TOKEN: 'another-token-of-operators' }]) {
      const changed = await gateway.another(change);
      const there = new Browser(changed.url);
      there.plant(name, browser.cookie(name) ?? '');
      expect(await statusOf(there)).toBe(401);
      await changed.close();
    }
    expect(await statusOf(browser)).toBe(200);
  });

  it('needs its whole cookie', async () => {
    const { browser } = await signedIn(adminToken);
    const cookie = browser.cookie(name) ?? '';
    const last = cookie.endsWith('A') ? 'Q' : 'A';
    for (const wrong of [`${cookie.slice(0, -1)}${last}`, cookie.slice(0, -1), `${cookie}A`, cookie.slice(4), 'x']) {
      const thief = new Browser(gateway.url);
      thief.plant(name, wrong);
      expect(await statusOf(thief)).toBe(401);
    }
  });

  it('is stored without its cookie and without ADMIN_TOKEN', async () => {
    const { browser, body } = await signedIn(adminToken);
    const rows = await gateway.fixture.rows<{ text: string }>('select s::text as text from operator_sessions s');
    const text = rows.map((row) => row.text).join('\n');
    for (const secret of [browser.cookie(name)?.slice(-43) ?? '', body.csrf_token, adminToken]) {
      expect(text).not.toContain(secret);
    }
  });

  it('is deleted after its end', async () => {
    await gateway.fixture.rows('delete from operator_sessions');
    const [idle, old, live] = [await signedIn(adminToken), await signedIn(adminToken), await signedIn(adminToken)];
    expect([idle, old].map(({ browser }) => browser.cookie(name))).not.toContain(live.browser.cookie(name));
    const ids = await gateway.fixture.rows<{ id: string }>('select id from operator_sessions order by id');
    const change = (at: number, values: string) =>
      gateway.fixture.rows(`update operator_sessions set ${values} where id = $1`, [ids[at]?.id]);
    await change(0, `last_used_at = now() - interval '31 minutes'`);
    await change(1, `expires_at = now() - interval '1 minute'`);
    const database = await Database.connect({
      url: gatewayConfig(gateway.database.url).DATABASE_URL,
      service: 'gateway',
    });
    expect(await deleteEndedSessions(database, 1_800, 10)).toBe(2);
    await database.close();
    expect(await gateway.fixture.rows('select id from operator_sessions')).toEqual([ids[2]]);
    expect(await statusOf(live.browser)).toBe(200);
  });
});

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
