import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../test/operated-gateway.js';

const perMinute = 3;
let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ requestsPerMinute: perMinute });
});

afterAll(() => gateway?.close());

async function newTenant() {
  const tenant = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id;
  const issue = async () => (await gateway.operator('POST', `/tenants/${tenant}/api-keys`, { name: 'a' })).body.key;
  return { tenant, issue };
}

async function ask(path: string, headers: Record<string, string>) {
  const answer = await fetch(`${gateway.url}${path}`, { headers });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
}

/** What the last of one request more than the limit is answered with; those before must be answered well. */
async function oneTooMany(path: string, headers: Record<string, string>) {
  for (let request = 0; request < perMinute; request += 1) expect((await ask(path, headers)).status).toBe(200);
  return ask(path, headers);
}

describe('a limit of requests', () => {
  it('is told as 429 with when to come again, to the key that reached it and to no other', async () => {
    const { issue } = await newTenant();
    const [greedy, modest] = [await issue(), await issue()];
    const { status, retryAfter, body } = await oneTooMany('/v1/users', { 'x-api-key': greedy });
    expect({ status, body }).toEqual({ status: 429, body: { error: 'too many requests with this key' } });
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect((await ask('/v1/identities', { 'x-api-key': greedy })).status).toBe(429);
    expect((await ask('/v1/users', { 'x-api-key': modest })).status).toBe(200);
  });

  it('is told to identity providers as SCIM tells errors', async () => {
    const { tenant } = await newTenant();
    const source = { type: 'scim-push', name: 'IdP', records: 'user', priority: 10, config: {} };
    const connector = (await gateway.operator('POST', `/tenants/${tenant}/connectors`, source)).body.id;
    const made = await gateway.operator('POST', `/tenants/${tenant}/connectors/${connector}/tokens`, { name: 'idp' });
    const authorization = `Bearer ${made.body.token}`;
    const { status, body } = await oneTooMany(`/scim/v2/${connector}/Users`, { authorization });
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '429',
        detail: 'too many requests with this key',
      },
    });
  });

  it('is none for the health check, nor for the operator', async () => {
    for (let request = 0; request <= perMinute; request += 1) {
      expect((await ask('/v1/health', {})).status).toBe(200);
      expect((await gateway.operator('GET', '/tenants')).status).toBe(200);
    }
  });

  it('counts nobody who has no key', async () => {
    for (let request = 0; request <= perMinute; request += 1) expect((await ask('/v1/users', {})).status).toBe(401);
  });
});
