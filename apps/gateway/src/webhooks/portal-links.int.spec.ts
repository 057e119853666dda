import { encodeId, newUuid, routes } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let tenantId: string;
let tenant: string;
let hooks: { id: string; uuid: string }[];
let key: { id: string; key: string };

beforeAll(async () => {
  gateway = await OperatedGateway.start({ PUBLIC_URL: 'https://idsync.example' });
});

beforeEach(async () => {
  tenantId = await gateway.fixture.tenant();
  tenant = `/tenants/${encodeId('tenant', tenantId)}`;
  hooks = [await insertHook(tenantId), await insertHook(tenantId)];
  key = await issue();
});

afterAll(() => gateway?.close());

async function insertHook(of: string) {
  const uuid = newUuid();
  await gateway.fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org/hook', '{user.*}')`,
    [uuid, of],
  );
  return { id: encodeId('webhook', uuid), uuid };
}

const issue = async (body: object = {}) =>
  (await gateway.operator('POST', `${tenant}/api-keys`, { name: 'product', ...body })).body as typeof key;

async function call(method: string, path: string, as: string, body?: object): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'x-api-key': as, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

const hookAt = (index: number) => hooks[index] ?? { id: '', uuid: '' };
const requestLink = (body: object = {}, as = key.key) =>
  call('POST', '/v1/portal-links', as, { webhook_ids: [hookAt(0).id], ...body });

/** Creates a link and returns the key in its fragment. */
async function linkKey(body: object = {}, as = key.key): Promise<string> {
  const { status, body: link } = await requestLink(body, as);
  expect([status, link]).toEqual([201, expect.objectContaining({ id: expect.stringMatching(/^plk_/) })]);
  return new URL(link.url).hash.slice(1);
}

/** Inserts a dead delivery of a new event with a body. */
async function delivery(webhookId: string): Promise<string> {
  const id = newUuid();
  await gateway.fixture.rows(
    `with event as (
       insert into events (tenant_id, sequence, id, type, occurred_at, details) values ($1, 1, $2, 'user.created', now(), '{}')),
     payload as (insert into event_payloads (tenant_id, sequence, event_id, body) values ($1, 1, $2, '{"id":"evt"}'))
     insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
     values ($3, $1, $4, 1, 'user.created', 'dead', true)`,
    [tenantId, newUuid(), id, webhookId],
  );
  return encodeId('delivery', id);
}

const statusOf = async (method: string, path: string, as: string, body?: object) =>
  (await call(method, path, as, body)).status;

describe('a portal link', () => {
  it('has the address of the portal with its key in the fragment, and expires within an hour', async () => {
    const { body } = await requestLink();
    expect(body).toEqual({
      id: expect.stringMatching(/^plk_[0-9a-z]{26}$/),
      url: expect.stringMatching(/^https:\/\/idsync\.example\/portal\/#ipl_[0-9a-z]{26}_[\w-]{43}$/),
      webhook_ids: [hookAt(0).id],
      access: 'send',
      bodies: true,
      expires_at: expect.any(String),
    });
    const seconds = (Date.parse(body.expires_at) - Date.now()) / 1_000;
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
  });

  it('shows its webhooks and what it may do, and none of the others', async () => {
    const { body } = await call('GET', '/v1/webhooks', await linkKey({ access: 'read', bodies: false }));
    expect(body).toMatchObject({
      data: [{ id: hookAt(0).id }],
      total: 1,
      portal: { access: 'read', bodies: false, expires_at: expect.any(String) },
    });
    const both = await linkKey({ webhook_ids: hooks.map(({ id }) => id) });
    expect((await call('GET', '/v1/webhooks', both)).body.total).toBe(2);
    expect((await call('GET', '/v1/webhooks', key.key)).body).not.toHaveProperty('portal');
  });

  it.each([
    { access: 'read', resends: 403, rotates: 403 },
    { access: 'send', resends: 202, rotates: 403 },
    { access: 'change', resends: 202, rotates: 200 },
  ])('with the access $access may do what that includes', async ({ access, resends, rotates }) => {
    const link = await linkKey({ access });
    const failed = await delivery(hookAt(0).uuid);
    const hook = `/v1/webhooks/${hookAt(0).id}`;
    expect(await statusOf('GET', `${hook}/deliveries/${failed}`, link)).toBe(200);
    expect(await statusOf('POST', `${hook}/deliveries/${failed}/resend`, link)).toBe(resends);
    expect(await statusOf('POST', `${hook}/rotate-secret`, link)).toBe(rotates);
    expect(await statusOf('PATCH', hook, link, { events: ['*'] })).toBe(rotates);
  });

  it('is named in the replays that it requests, and its API key where it deactivates the webhook', async () => {
    const { body } = await requestLink({ access: 'change' });
    const link = new URL(body.url).hash.slice(1);
    const failed = await delivery(hookAt(0).uuid);
    const hook = `/v1/webhooks/${hookAt(0).id}`;
    const replay = await call('POST', `${hook}/deliveries/${failed}/resend`, link);
    expect(replay.body.requested_by).toBe(body.id);
    await call('PATCH', hook, link, { active: false });
    expect((await call('GET', hook, link)).body.inactive).toMatchObject({ by: 'client', key_id: key.id });
  });

  it('shows bodies of deliveries only if it was asked to', async () => {
    const failed = await delivery(hookAt(0).uuid);
    const path = `/v1/webhooks/${hookAt(0).id}/deliveries/${failed}`;
    expect((await call('GET', path, await linkKey())).body.body).toBe('{"id":"evt"}');
    expect((await call('GET', path, await linkKey({ bodies: false }))).body).not.toHaveProperty('body');
  });

  it('reaches no route that the contracts do not open to links', async () => {
    const link = await linkKey({ access: 'change' });
    const closed = routes.filter(({ auth, portal }) => auth !== 'none' && !portal);
    for (const { method, path } of closed) {
      const address = path.replace('{id}', hookAt(0).id).replaceAll(/\{\w+\}/g, 'x');
      const expected = path.startsWith('/admin/') ? 401 : 403;
      expect([method, path, await statusOf(method, address, link)]).toEqual([method, path, expected]);
    }
    for (const path of ['/scim/v2/Users', '/scim/v2/Schemas', `/scim/v2/${encodeId('connector', newUuid())}/Users`]) {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${link}` } });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  it('reaches no webhook that it does not show, of its tenant or another', async () => {
    const link = await linkKey({ access: 'change' });
    const theirs = await insertHook(await gateway.fixture.tenant());
    const open = routes.filter(({ path, portal }) => portal && path.includes('{id}'));
    expect(open.length).toBeGreaterThan(8);
    for (const id of [hookAt(1).id, theirs.id, 'whk_nonsense', hookAt(0).uuid]) {
      for (const { method, path } of open) {
        const address = path.replace('{id}', id).replaceAll(/\{\w+\}/g, 'x');
        expect([address, await statusOf(method, address, link)]).toEqual([address, 404]);
      }
    }
  });

  it('reaches no delivery of another webhook through its own', async () => {
    const link = await linkKey({ access: 'change' });
    const other = await delivery(hookAt(1).uuid);
    const path = `/v1/webhooks/${hookAt(0).id}/deliveries/${other}`;
    expect([await statusOf('GET', path, link), await statusOf('POST', `${path}/resend`, link)]).toEqual([404, 404]);
  });
});

describe('the rights of a portal link', () => {
  it('are never wider than those of the key that issues it', async () => {
    const reader = await issue({ scopes: ['webhooks:read'] });
    expect((await requestLink({}, reader.key)).body).toMatchObject({ access: 'read', bodies: false });
    for (const wider of [{ access: 'send' }, { access: 'change' }, { bodies: true }]) {
      const { status, body } = await requestLink(wider, reader.key);
      expect([status, body.error]).toEqual([403, expect.stringMatching(/the key lacks the scope .*, which the link/)]);
    }
    const outsider = await issue({ scopes: ['events:read'] });
    expect((await requestLink({}, outsider.key)).status).toBe(403);
  });

  it('shrink at once with the scopes of the key', async () => {
    const link = await linkKey({ access: 'change' });
    const hook = `/v1/webhooks/${hookAt(0).id}`;
    expect(await statusOf('POST', `${hook}/rotate-secret`, link)).toBe(200);
    await gateway.operator('PATCH', `${tenant}/api-keys/${key.id}`, { scopes: ['webhooks:read'] });
    expect(await statusOf('POST', `${hook}/rotate-secret`, link)).toBe(403);
    expect((await call('GET', '/v1/webhooks', link)).body.portal).toMatchObject({ access: 'read', bodies: false });
    await gateway.operator('PATCH', `${tenant}/api-keys/${key.id}`, { scopes: ['users:read'] });
    expect(await statusOf('GET', '/v1/webhooks', link)).toBe(403);
  });

  it('hold only from the addresses of the key', async () => {
    const link = await linkKey();
    await gateway.operator('PATCH', `${tenant}/api-keys/${key.id}`, { allowed_networks: ['203.0.113.0/24'] });
    expect(await statusOf('GET', '/v1/webhooks', link)).toBe(403);
  });

  it('do not hold while the tenant is suspended', async () => {
    const link = await linkKey();
    await gateway.fixture.rows('update tenants set suspended_at = now() where id = $1', [tenantId]);
    expect(await statusOf('GET', '/v1/webhooks', link)).toBe(403);
  });
});

describe('a portal link ends', () => {
  const works = async (link: string) => (await statusOf('GET', '/v1/webhooks', link)) === 200;

  it('when it expires', async () => {
    const link = await linkKey();
    await gateway.fixture.rows(`update portal_links set expires_at = now() - interval '1 s' where tenant_id = $1`, [
      tenantId,
    ]);
    expect(await works(link)).toBe(false);
  });

  it('with the key that issued it: revoked or expired', async () => {
    const link = await linkKey();
    expect(await works(link)).toBe(true);
    await gateway.operator('DELETE', `${tenant}/api-keys/${key.id}`);
    expect(await works(link)).toBe(false);
    const soon = new Date(Date.now() + 120_000).toISOString();
    const shortLived = await issue({ expires_at: soon });
    expect((await requestLink({}, shortLived.key)).body.expires_at).toBe(soon);
  });

  it('when all links of its webhook are revoked, by a client or an operator', async () => {
    for (const revoke of [
      () => call('DELETE', `/v1/webhooks/${hookAt(0).id}/portal-links`, key.key),
      () => gateway.operator('DELETE', `${tenant}/webhooks/${hookAt(0).id}/portal-links`),
    ]) {
      const link = await linkKey({ webhook_ids: hooks.map(({ id }) => id) });
      const other = await linkKey({ webhook_ids: [hookAt(1).id] });
      expect([await works(link), await works(other)]).toEqual([true, true]);
      expect((await revoke()).status).toBe(204);
      expect([await works(link), await works(other)]).toEqual([false, true]);
    }
  });

  it('when its tenant is to be deleted', async () => {
    const link = await linkKey();
    const { name } = (await gateway.operator('GET', tenant)).body;
    expect((await gateway.operator('POST', `${tenant}/deletion`, { name })).status).toBe(202);
    expect(await works(link)).toBe(false);
    expect(await gateway.fixture.rows('select id from portal_links where tenant_id = $1', [tenantId])).toEqual([]);
  });
});

describe('a request for a portal link', () => {
  it.each([
    [{ webhook_ids: [] }, 400],
    [{ webhook_ids: ['whk_nonsense'] }, 404],
    [{ webhook_ids: [encodeId('webhook', newUuid())] }, 404],
    [{ expires_in: 59 }, 400],
    [{ expires_in: 86_401 }, 400],
    [{ access: 'admin' }, 400],
    [{ scopes: ['events:read'] }, 400],
  ])('with %j answers %s', async (body, status) => {
    expect((await requestLink(body)).status).toBe(status);
  });

  it('answers 404 for a webhook of another tenant', async () => {
    const theirs = await insertHook(await gateway.fixture.tenant());
    expect((await requestLink({ webhook_ids: [hookAt(0).id, theirs.id] })).status).toBe(404);
  });

  it('answers 429 if the tenant has ten thousand valid links', async () => {
    await gateway.fixture.rows(
      `insert into portal_links (id, tenant_id, secret_hash, webhook_ids, access, bodies, expires_at)
       select gen_random_uuid(), $1, '', '{}', 'read', false, now() + interval '1 hour' from generate_series(1, 10000)`,
      [tenantId],
    );
    expect(await requestLink()).toEqual({
      status: 429,
      body: { error: 'a tenant can have at most 10000 valid portal links' },
    });
  });

  it('is in the audit log with its rights, and without its key', async () => {
    const { body: link } = await requestLink({ access: 'read' });
    await call('DELETE', `/v1/webhooks/${hookAt(0).id}/portal-links`, key.key);
    const { body } = await gateway.operator('GET', `${tenant}/audit?actor=${key.id}`);
    expect(body.data).toMatchObject([
      { action: 'revokeWebhookPortalLinks', resource: hookAt(0).id, after: { revoked: 1 } },
      {
        actor: { kind: 'api_key', id: key.id },
        action: 'createPortalLink',
        outcome: 'accepted',
        resource: link.id,
        after: { webhook_ids: [hookAt(0).id], access: 'read', bodies: true },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('ipl_');
  });

  it('leads to changes that are in the audit log under the id of the link', async () => {
    const { body: link } = await requestLink({ access: 'change' });
    const as = new URL(link.url).hash.slice(1);
    const path = `/v1/webhooks/${hookAt(0).id}`;
    expect((await call('PATCH', path, as, { active: false })).status).toBe(200);
    expect((await call('POST', `${path}/rotate-secret`, as, {})).status).toBe(200);
    const { body } = await gateway.operator('GET', `${tenant}/audit?actor=${link.id}`);
    const actor = { kind: 'portal_link', id: link.id };
    expect(body.data).toMatchObject([
      { actor, action: 'rotateWebhookSecret', resource: hookAt(0).id },
      { actor, action: 'updateWebhook', resource: hookAt(0).id, after: { active: false } },
    ]);
    expect(JSON.stringify(body)).not.toContain('whsec_');
  });

  it('of an operator needs the role admin, and is in the audit log', async () => {
    const token = async (role: string) =>
      (await gateway.operator('POST', '/service-tokens', { name: role, role })).body.token as string;
    const body = { webhook_ids: [hookAt(0).id], access: 'change' };
    const refused = await gateway.operatorAs(await token('operator'), 'POST', `${tenant}/portal-links`, body);
    expect(refused.status).toBe(403);
    const link = await gateway.operatorAs(await token('admin'), 'POST', `${tenant}/portal-links`, body);
    expect([link.status, link.body.access]).toEqual([201, 'change']);
    expect(await statusOf('GET', '/v1/webhooks', new URL(link.body.url).hash.slice(1))).toBe(200);
    const entry = (await gateway.operator('GET', `${tenant}/audit?action=createPortalLink`)).body.data;
    expect(entry).toMatchObject([
      { actor: { name: 'admin' }, outcome: 'accepted', resource: link.body.id },
      { outcome: 'refused' },
    ]);
    expect(JSON.stringify(entry)).not.toContain('ipl_');
  });
});
