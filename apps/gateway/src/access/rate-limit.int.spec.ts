import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

const perMinute = 3;
let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ RATE_LIMIT_PER_MINUTE: perMinute });
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

/** Sends one request more than the limit and returns the last response; the others must succeed. */
async function oneTooMany(path: string, headers: Record<string, string>) {
  for (let request = 0; request < perMinute; request += 1) expect((await ask(path, headers)).status).toBe(200);
  return ask(path, headers);
}

describe('the rate limit', () => {
  it('responds with 429 and Retry-After to the key that exceeds it, and to no other key', async () => {
    const { issue } = await newTenant();
    const [greedy, modest] = [await issue(), await issue()];
    const { status, retryAfter, body } = await oneTooMany('/v1/users', { 'x-api-key': greedy });
    expect({ status, body }).toEqual({ status: 429, body: { error: 'too many requests with this key' } });
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect((await ask('/v1/identities', { 'x-api-key': greedy })).status).toBe(429);
    expect((await ask('/v1/users', { 'x-api-key': modest })).status).toBe(200);
  });

  it('responds to identity providers with a SCIM error', async () => {
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

  it('does not apply to the health check or to operators', async () => {
    for (let request = 0; request <= perMinute; request += 1) {
      expect((await ask('/v1/health', {})).status).toBe(200);
      expect((await gateway.operator('GET', '/tenants')).status).toBe(200);
    }
  });

  it('does not count requests without a valid key', async () => {
    for (let request = 0; request <= perMinute; request += 1) expect((await ask('/v1/users', {})).status).toBe(401);
  });
});
