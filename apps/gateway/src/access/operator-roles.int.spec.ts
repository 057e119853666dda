import { encodeId, newUuid, operatorRoles, routes } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../../test/browser.js';
import { adminToken } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

/** Routes that another role may use than viewer for GET and admin for the rest; without `/admin/v1`. */
const ofTenant = '/tenants/{tenantId}';
const forOperators = [
  `POST ${ofTenant}/connectors/{connectorId}/test`,
  `POST ${ofTenant}/connectors/{connectorId}/discover`,
  `POST ${ofTenant}/connectors/{connectorId}/records/{externalId}/sync`,
  `POST ${ofTenant}/sync-jobs`,
  ...['cancel', 'release', 'apply', 'undo'].map((verb) => `POST ${ofTenant}/sync-jobs/{jobId}/${verb}`),
  `POST ${ofTenant}/cases/{caseId}/resolve`,
  `POST ${ofTenant}/identities/{identityId}/merge`,
  `POST ${ofTenant}/identities/{identityId}/split`,
  `POST ${ofTenant}/matching-rules/preview`,
  `POST ${ofTenant}/operations/{operationId}/revert`,
  ...['approve', 'reject'].map((verb) => `POST ${ofTenant}/approvals/{approvalId}/${verb}`),
  `POST ${ofTenant}/findings/{findingId}/accept`,
  `POST ${ofTenant}/findings/{findingId}/reopen`,
  ...['test', 'requeue', 'replay'].map((verb) => `POST ${ofTenant}/webhooks/{webhookId}/${verb}`),
  `POST ${ofTenant}/deliveries/{deliveryId}/resend`,
  `POST ${ofTenant}/replays/{replayId}/cancel`,
];
const forAuditors = [
  'GET /audit',
  'GET /audit/verification',
  `GET ${ofTenant}/audit`,
  `GET ${ofTenant}/audit/verification`,
  'GET /service-tokens',
  'GET /sessions',
];
const forAll = ['DELETE /session'];
const forAdmins = [`GET ${ofTenant}/export`];
/** Routes that concern the installation, and not a tenant. */
const forAllTenants = [
  'POST /tenants',
  `PATCH ${ofTenant}`,
  `POST ${ofTenant}/deletion`,
  `PUT ${ofTenant}/quotas`,
  'GET /audit/verification',
  'GET /service-tokens',
  'POST /service-tokens',
  'DELETE /service-tokens/{serviceTokenId}',
  'GET /sessions',
  'DELETE /sessions/{sessionId}',
  'GET /system',
  'GET /system/dead-letters',
  'GET /system/dead-letters/{deadLetterId}',
  'POST /system/dead-letters/{deadLetterId}/requeue',
  'POST /system/dead-letters/{deadLetterId}/discard',
];

const operated = routes
  .filter(({ auth }) => auth === 'operator')
  .map(({ method, path }) => [method, path.replace('/admin/v1', '')] as const);

function rolesFor(route: string): readonly string[] {
  if (forOperators.includes(route)) return ['operator', 'admin'];
  if (forAuditors.includes(route)) return ['auditor', 'admin'];
  if (forAll.includes(route)) return operatorRoles;
  if (forAdmins.includes(route)) return ['admin'];
  return route.startsWith('GET ') ? operatorRoles : ['admin'];
}

let gateway: OperatedGateway;
let mine: string;
let theirs: string;
/** Tokens for all tenants and for one, by role. */
const tokens: Record<string, string> = {};
const restricted: Record<string, string> = {};

const newTenant = async (name: string): Promise<string> =>
  (await gateway.operator('POST', '/tenants', { name })).body.id;
const afterDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const issue = async (body: object): Promise<Body> => (await gateway.operator('POST', '/service-tokens', body)).body;
const filled = (path: string, tenantId: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'tenantId' ? tenantId : name === 'externalId' ? 'E1' : encodeId('job', newUuid()),
  );
const browsers = new Map<string, Browser>();
async function signedIn(role: string): Promise<Browser> {
  const browser = new Browser(gateway.url);
  await browser.signIn(tokens[role] ?? '');
  return browser;
}
/** A body that no route accepts, so that nothing is changed. */
const invalid = { 'no field': true };
const send = (token: string, method: string, path: string) =>
  gateway.operatorAs(token, method, path, method === 'GET' ? undefined : invalid);

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  mine = await newTenant('Mine');
  theirs = await newTenant('Theirs');
  for (const role of operatorRoles) {
    tokens[role] = (await issue({ name: `all ${role}`, role })).token;
    browsers.set(role, await signedIn(role));
    restricted[role] = (await issue({ name: `one ${role}`, role, tenants: [mine] })).token;
  }
});

afterAll(() => gateway?.close());

describe('a route of operators', () => {
  it.each(operated)('is open to the roles that need it, and to no other: %s %s', async (method, path) => {
    const roles = rolesFor(`${method} ${path}`);
    for (const role of operatorRoles) {
      const { status, requestId } = await send(tokens[role] ?? '', method, filled(path, mine));
      expect({ role, denied: status === 403 }).toEqual({ role, denied: !roles.includes(role) });
      expect(status).not.toBe(401);
      if (status !== 403) continue;
      const { body } = await gateway.operator('GET', `/audit?request_id=${requestId}`);
      expect(body.data).toMatchObject([{ actor: { name: `all ${role}`, role }, outcome: 'refused', status: 403 }]);
    }
  });

  it.each(operated)('is open to the same roles with the cookie of a session: %s %s', async (method, path) => {
    const roles = rolesFor(`${method} ${path}`);
    for (const role of operatorRoles) {
      const isSignOut = `${method} ${path}` === 'DELETE /session';
      const browser = isSignOut ? await signedIn(role) : (browsers.get(role) ?? (await signedIn(role)));
      const call = (csrf: object) =>
        browser.call(method, `/admin/v1${filled(path, mine)}`, method === 'GET' ? undefined : invalid, { ...csrf });
      if (method !== 'GET') {
        for (const csrf of [{ 'x-csrf-token': '' }, { 'sec-fetch-site': 'same-site' }]) {
          expect({ role, status: (await call(csrf)).status }).toEqual({ role, status: 403 });
        }
      }
      const { status } = await call({});
      expect({ role, denied: status === 403 }).toEqual({ role, denied: !roles.includes(role) });
      expect(status).not.toBe(401);
    }
  });

  it.each(operated)('shows a token of one tenant nothing of another: %s %s', async (method, path) => {
    const isForAll = forAllTenants.includes(`${method} ${path}`);
    if (path.includes('{tenantId}')) {
      expect((await send(restricted.admin ?? '', method, filled(path, theirs))).status).toBe(404);
      expect((await send(restricted.admin ?? '', method, filled(path, 'ten_nonsense'))).status).toBe(404);
    }
    expect((await send(restricted.admin ?? '', method, filled(path, mine))).status === 403).toBe(isForAll);
  });
});

describe('a token of one tenant', () => {
  it('lists its tenant and the audit entries of its tenant only', async () => {
    const as = (path: string) => gateway.operatorAs(restricted.auditor ?? '', 'GET', path);
    expect((await as('/tenants')).body).toMatchObject({ data: [{ id: mine }], total: 1 });
    const { data } = (await as('/audit?limit=200')).body;
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map((entry: Body) => entry.tenant_id))).toEqual(new Set([mine]));
  });
});

describe('a service token', () => {
  it('is shown once, stored as a hash, listed with its last use, and useless once revoked', async () => {
    const { token, ...shown } = await issue({ name: 'ci', role: 'viewer', tenants: [mine] });
    expect(token).toMatch(/^ist_[0-9a-z]{26}_[\w-]{43}$/);
    const [stored] = await gateway.fixture.rows<{ text: string }>(
      `select t::text as text from service_tokens t where name = 'ci'`,
    );
    expect(stored?.text).not.toContain(token.slice(-43));
    const listed = (await gateway.operator('GET', '/service-tokens?limit=200')).body.data;
    expect(listed).toContainEqual(shown);
    expect(shown).toMatchObject({ name: 'ci', role: 'viewer', tenants: [mine], created_by: 'operator' });
    expect((await gateway.operatorAs(token, 'GET', `/tenants/${mine}`)).status).toBe(200);
    expect((await gateway.operator('DELETE', `/service-tokens/${shown.id}`)).status).toBe(204);
    expect((await gateway.operatorAs(token, 'GET', `/tenants/${mine}`)).status).toBe(401);
    expect((await gateway.operator('DELETE', `/service-tokens/${shown.id}`)).status).toBe(204);
  });

  it('expires', async () => {
    const { token, id } = await issue({ name: 'short', role: 'viewer', expires_at: '2999-01-01T00:00:00Z' });
    await gateway.fixture.rows(
      `update service_tokens set expires_at = now() - interval '1 second' where name = 'short'`,
    );
    expect((await gateway.operatorAs(token, 'GET', '/tenants')).status).toBe(401);
    expect(id).toMatch(/^svt_/);
  });

  it('is rejected if a part of it is wrong', async () => {
    const token = tokens.admin ?? '';
    for (const wrong of [`${token}x`, token.slice(0, -1), token.replace('ist_', 'iss_'), `${token.slice(0, -1)}~`]) {
      expect((await gateway.operatorAs(wrong, 'GET', '/tenants')).status).toBe(401);
    }
  });

  it('needs a known role and existing tenants', async () => {
    const status = async (body: object) => (await gateway.operator('POST', '/service-tokens', body)).status;
    expect(await status({ name: 'x', role: 'root' })).toBe(400);
    expect(await status({ name: 'x', role: 'admin', tenants: [] })).toBe(400);
    expect(await status({ name: 'x', role: 'admin', tenants: [encodeId('tenant', newUuid())] })).toBe(400);
    expect(await status({ name: 'x', role: 'admin', expires_at: '2020-01-01T00:00:00Z' })).toBe(400);
  });

  it('for a tenant expires within service_token_max_days of its settings, and older tokens keep their expiry', async () => {
    const [strict, loose] = await Promise.all(['Strict', 'Loose'].map((name) => newTenant(name)));
    const { id: older } = await issue({ name: 'older', role: 'viewer', tenants: [strict] });
    const days = (service_token_max_days: number | null) => ({ service_token_max_days });
    await gateway.operator('PATCH', `/tenants/${strict}/settings`, days(30));
    await gateway.operator('PATCH', `/tenants/${loose}/settings`, days(90));
    const send = (tenants: unknown[] | undefined, expires_at?: string) =>
      gateway.operator('POST', '/service-tokens', { name: 'new', role: 'viewer', tenants, expires_at });
    const refused = [await send([loose, strict]), await send([loose, strict], afterDays(31))];
    for (const { status, body } of refused) {
      expect(status).toBe(400);
      expect(body.error).toContain(`because service tokens of ${strict} are valid for at most 30 days`);
    }
    const [, latest] = /^expires_at must be (\S+) or earlier/.exec(refused[0]?.body.error) ?? [];
    expect(await send([loose, strict], latest)).toMatchObject({ status: 201, body: { expires_at: latest } });
    expect((await send([loose], afterDays(31))).status).toBe(201);
    expect((await send([mine])).status).toBe(201);
    expect((await send(undefined)).status).toBe(201);
    const listed = (await gateway.operator('GET', '/service-tokens?limit=200')).body.data;
    expect(listed.find(({ id }: Body) => id === older)).not.toHaveProperty('expires_at');
    await gateway.operator('PATCH', `/tenants/${strict}/settings`, days(null));
    expect((await send([strict])).status).toBe(201);
  });

  it('names the operator, whatever name a request claims', async () => {
    const { entries } = await released(tokens.operator ?? '');
    expect(entries).toMatchObject([{ actor: { kind: 'service_token', name: 'all operator', role: 'operator' } }]);
    expect(await queued()).toContain('all operator');
    expect(await queued()).not.toContain('Somebody else');
  });

  /** Asks to release a quarantined job under another name. */
  async function released(token: string) {
    const tenantId =
      (await gateway.fixture.rows<{ id: string }>(`select id from tenants where name = 'Mine'`))[0]?.id ?? '';
    const connectorId = await gateway.fixture.connector(tenantId);
    const id = newUuid();
    await gateway.fixture.rows(
      `insert into sync_jobs (id, tenant_id, connector_id, status) values ($1, $2, $3, 'quarantined')`,
      [id, tenantId, connectorId],
    );
    const path = `/tenants/${mine}/sync-jobs/${encodeId('job', id)}/release`;
    const { requestId } = await gateway.operatorAs(token, 'POST', path, { reason: 'checked', by: 'Somebody else' });
    return { entries: (await gateway.operator('GET', `/audit?request_id=${requestId}`)).body.data };
  }

  async function queued(): Promise<string> {
    const rows = await gateway.fixture.rows<{ text: string }>(
      `select o::text as text from outbox o union all select b::text from bus_messages b`,
    );
    return rows.map(({ text }) => text).join('\n');
  }
});

describe('ADMIN_TOKEN', () => {
  it('is refused if it is disabled, while service tokens work', async () => {
    const own = await OperatedGateway.start();
    const { token } = (await own.operator('POST', '/service-tokens', { name: 'root', role: 'admin' })).body;
    const closed = await own.another({ ADMIN_TOKEN_DISABLED: true });
    const status = async (bearer: string) =>
      (await fetch(`${closed.url}/admin/v1/tenants`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    expect(await status(adminToken)).toBe(401);
    expect(await status(token)).toBe(200);
    await closed.close();
    await own.close();
  });
});
