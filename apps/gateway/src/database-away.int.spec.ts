import { encodeId, type IdKind, newUuid, type RouteDefinition, routes } from '@idsync/contracts';
import { PrivatePostgres, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../test/gateway-config.js';
import type { Body } from '../test/operated-gateway.js';
import { type Gateway, startGateway } from './start.js';

let postgres: PrivatePostgres;
let gateway: Gateway;
let key: string;
let token: string;
let connector: string;

/** Id kinds, by the parameter name in operator paths or the preceding segment in public ones. */
const kinds: Record<string, IdKind> = {
  identities: 'identity',
  users: 'user',
  accounts: 'account',
  'machine-identities': 'machineIdentity',
  groups: 'group',
  jobs: 'job',
  webhooks: 'webhook',
  tenantId: 'tenant',
  keyId: 'apiKey',
  tokenId: 'apiKey',
  connectorId: 'connector',
  probeId: 'probe',
  jobId: 'job',
  caseId: 'case',
  approvalId: 'approval',
  findingId: 'finding',
  identityId: 'identity',
  machineId: 'machineIdentity',
  operationId: 'operation',
  webhookId: 'webhook',
  deliveryId: 'delivery',
  eventId: 'event',
  recordId: 'user',
  replayId: 'replay',
  suppressionId: 'suppression',
  serviceTokenId: 'serviceToken',
  sessionId: 'session',
  deadLetterId: 'deadLetter',
};

function pathOf({ path }: RouteDefinition): string {
  const parts = path.split('/');
  return parts
    .map((part, at) => {
      if (!part.startsWith('{')) return part;
      const kind = kinds[part.slice(1, -1)] ?? kinds[parts[at - 1] ?? ''];
      return kind ? encodeId(kind, newUuid()) : 'E1';
    })
    .join('/');
}

/** Valid bodies, because a body is validated before the database is queried. */
const bodies: Record<string, object> = {
  'POST /v1/sync/trigger': { connector_id: encodeId('connector', newUuid()) },
  'POST /v1/webhooks': { callback_url: 'https://example.com/hook', events: ['*'] },
  'PATCH /v1/webhooks/{id}': { active: true },
  'POST /v1/portal-links': { webhook_ids: [encodeId('webhook', newUuid())] },
  'POST /admin/v1/tenants': { name: 'Test' },
  'POST /admin/v1/tenants/{tenantId}/deletion': { name: 'Test' },
};

/** Answered from the caller, and ADMIN_TOKEN identifies it without a query. */
const withoutDatabase = new Set(['/admin/v1/session']);

/** All routes that query the database, except operator routes that need other bodies. */
const querying = routes.flatMap((route) => {
  const body = bodies[`${route.method} ${route.path}`];
  return route.auth === 'none' || withoutDatabase.has(route.path) || (route.body && !route.bodyOptional && !body)
    ? []
    : [[route.method, pathOf(route), body] as const];
});

async function send(method: string, path: string, headers: Record<string, string>, body?: object) {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: (await answer.json()) as Body };
}

const credentials = () => ({ 'x-api-key': key, authorization: `Bearer ${adminToken}` });

beforeAll(async () => {
  postgres = await PrivatePostgres.start();
  gateway = await startGateway(gatewayConfig(postgres.url));
  const operator = { authorization: `Bearer ${adminToken}` };
  const { id } = (await send('POST', '/admin/v1/tenants', operator, { name: 'Test' })).body;
  key = (await send('POST', `/admin/v1/tenants/${id}/api-keys`, operator, { name: 'test' })).body.key;
  const source = { type: 'scim-push', name: 'IdP', records: 'user', priority: 10, config: {} };
  connector = (await send('POST', `/admin/v1/tenants/${id}/connectors`, operator, source)).body.id;
  const made = await send('POST', `/admin/v1/tenants/${id}/connectors/${connector}/tokens`, operator, { name: 'idp' });
  token = made.body.token;
}, 120_000);

afterAll(async () => {
  await gateway?.close();
  await postgres?.remove();
});

describe('a gateway whose PostgreSQL is killed', () => {
  it('responds to every route with 503, Retry-After and the same text, and recovers when PostgreSQL is back', async () => {
    expect((await send('GET', '/v1/users', credentials())).status).toBe(200);
    await postgres.kill();
    expect(querying.filter(([, path]) => path.startsWith('/v1/'))).toHaveLength(32);
    for (let round = 0; round < 2; round += 1) {
      for (const [method, path, body] of querying) {
        expect([method, path, await send(method, path, credentials(), body)]).toEqual([
          method,
          path,
          { status: 503, retryAfter: '5', body: { error: 'the database is not available: try again later' } },
        ]);
      }
    }
    expect((await send('GET', '/v1/health', {})).body).toEqual({ status: 'ok' });
    expect((await send('GET', '/v1/nothing', { 'x-api-key': 'nonsense' })).status).toBe(401);
    await postgres.up();
    await until(async () => (await send('GET', '/v1/users', credentials())).status === 200, 'an answer', 60_000);
  }, 180_000);

  it('responds to identity providers with 503, Retry-After and a SCIM error', async () => {
    await postgres.kill();
    const answer = await send('GET', `/scim/v2/${connector}/Users`, { authorization: `Bearer ${token}` });
    expect(answer).toEqual({
      status: 503,
      retryAfter: '5',
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '503',
        detail: 'the database is not available: try again later',
      },
    });
    await postgres.up();
  }, 120_000);

  it('responds without 500 to requests during and after a connection that PostgreSQL terminates', async () => {
    const stop = new AbortController();
    const all = new Set<number>();
    let last = 0;
    const client = async () => {
      while (!stop.signal.aborted) {
        last = (await send('GET', '/v1/users', credentials())).status;
        all.add(last);
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    const answered = (status: number) =>
      until(
        () => last === status,
        () => `${status}, got ${last}`,
        60_000,
      );
    try {
      for (let round = 0; round < 2; round += 1) {
        await answered(200);
        await postgres.kill();
        await answered(503);
        await postgres.up();
      }
      await answered(200);
    } finally {
      stop.abort();
      await clients;
    }
    expect([...all].sort()).toEqual([200, 503]);
  }, 180_000);
});
