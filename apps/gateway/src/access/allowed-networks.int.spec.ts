import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let path: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ TRUSTED_PROXIES: ['127.0.0.1'] });
  path = `/tenants/${(await gateway.operator('POST', '/tenants', { name: 'Acme' })).body.id}`;
});

afterAll(() => gateway?.close());

const issue = async (allowed_networks?: string[]) =>
  (await gateway.operator('POST', `${path}/api-keys`, { name: 'a', ...(allowed_networks && { allowed_networks }) }))
    .body;

/** Sends a request through a proxy that the gateway trusts. */
async function from(address: string, key: string, route = '/v1/users') {
  const headers = { 'x-api-key': key, 'x-forwarded-for': address };
  const answer = await fetch(`${gateway.url}${route}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Body };
}

describe('networks of a key', () => {
  it.each([[['192.0.2.0/33']], [['example.com']], [[]], [Array(51).fill('192.0.2.1')]])(
    'are refused with 400: %j',
    async (allowed_networks) => {
      const { status } = await gateway.operator('POST', `${path}/api-keys`, { name: 'a', allowed_networks });
      expect(status).toBe(400);
    },
  );
});

describe('a key that is restricted to networks', () => {
  it.each(['192.0.2.7', '::ffff:192.0.2.8', '2001:db8::9'])('is accepted from %s', async (address) => {
    const { key } = await issue(['192.0.2.0/24', '2001:db8::/32']);
    expect((await from(address, key)).status).toBe(200);
  });

  it.each(['192.0.3.1', '2001:db9::1'])('is refused with 403 from %s', async (address) => {
    const { key } = await issue(['192.0.2.0/24', '2001:db8::/32']);
    for (const route of ['/v1/users', '/v1/identities', '/scim/v2/Users']) {
      expect((await from(address, key, route)).status).toBe(403);
    }
    expect((await from(address, key)).body).toEqual({ error: `the key may not be used from ${address}` });
  });

  it('follows a change of its networks, which is an entry of the audit log', async () => {
    const { id, key } = await issue(['192.0.2.0/24']);
    const change = (allowed_networks: string[] | null) =>
      gateway.operator('PATCH', `${path}/api-keys/${id}`, { allowed_networks });
    expect((await change(['198.51.100.0/24'])).body.allowed_networks).toEqual(['198.51.100.0/24']);
    expect((await from('192.0.2.7', key)).status).toBe(403);
    expect((await from('198.51.100.7', key)).status).toBe(200);
    expect((await gateway.operator('PATCH', `${path}/api-keys/${id}`, { name: 'b' })).body).toHaveProperty(
      'allowed_networks',
    );
    expect((await change(null)).body).not.toHaveProperty('allowed_networks');
    expect((await from('192.0.2.7', key)).status).toBe(200);
    expect((await change([])).status).toBe(400);
    const entries = (await gateway.operator('GET', `${path}/audit?resource=${id}&limit=200`)).body.data;
    expect(entries).toContainEqual(
      expect.objectContaining({
        before: expect.objectContaining({ allowed_networks: ['192.0.2.0/24'] }),
        after: expect.objectContaining({ allowed_networks: ['198.51.100.0/24'] }),
      }),
    );
  });

  it('reveals nothing about its networks to a caller with a wrong secret', async () => {
    const { key } = await issue(['192.0.2.0/24']);
    expect((await from('192.0.3.1', `${key.slice(0, -4)}AAAA`)).status).toBe(401);
  });

  it('shows its networks, and is recorded where it was refused', async () => {
    const { id, key, allowed_networks } = await issue(['192.0.2.0/24', '192.0.2.0/24']);
    expect(allowed_networks).toEqual(['192.0.2.0/24']);
    const { data } = (await gateway.operator('GET', `${path}/api-keys?limit=200`)).body;
    expect(data.find((each: Body) => each.id === id)).toMatchObject({ allowed_networks });
    await from('198.51.100.1', key);
    await from('198.51.100.1', key);
    // The observations of a minute are written when the gateway stops.
    await gateway.closeGateway();
    const entries = await gateway.fixture.rows<{ entry: string }>(
      `select entry from audit_entries where action = 'keyRefusedFromAddress' and resource = $1`,
      [id],
    );
    expect(entries.map(({ entry }) => JSON.parse(entry))).toMatchObject([
      { address: '198.51.100.1', outcome: 'observed', actor: { kind: 'api_key', id } },
    ]);
    const [stored] = await gateway.fixture.rows<{ used: boolean }>(
      `select last_used_at is not null as used from api_keys k where allowed_networks = '{192.0.2.0/24}' order by created_at desc limit 1`,
    );
    expect(stored?.used).toBe(false);
  });
});
