import { createPublicKey } from 'node:crypto';
import { encodeId, newUuid } from '@idsync/contracts';
import { decrypt } from '@idsync/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayConfig } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let tenantId: string;
let webhookId: string;
let key: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

beforeEach(async () => {
  tenantId = await gateway.fixture.tenant();
  webhookId = newUuid();
  await gateway.fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org/hook', '{*}')`,
    [webhookId, tenantId],
  );
  key = (await gateway.operator('POST', `/tenants/${encodeId('tenant', tenantId)}/api-keys`, { name: 'x' })).body.key;
});

afterAll(() => gateway?.close());

async function call(method: string, body?: object, id = webhookId, as = key): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${gateway.url}/v1/webhooks/${encodeId('webhook', id)}/signing-keys`, {
    method,
    headers: { 'x-api-key': as, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

describe('a key pair of a webhook', () => {
  it('is created with a public key, while the private key is stored encrypted for its tenant', async () => {
    const { status, body } = await call('POST');
    expect(status).toBe(201);
    expect(body).toEqual({
      public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.any(String),
    });
    const rows = await gateway.fixture.rows<{ ciphertext: Buffer }>('select ciphertext from webhook_signing_keys');
    const ciphertext = rows[0]?.ciphertext ?? Buffer.alloc(0);
    const { ENCRYPTION_KEY: encryptionKey } = gatewayConfig(gateway.database.url);
    const privateBytes = Buffer.from(decrypt(ciphertext, [encryptionKey], tenantId).replace('whsk_', ''), 'base64');
    const [d, x] = [privateBytes.subarray(0, 32), privateBytes.subarray(32)].map((part) => part.toString('base64url'));
    const derived = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } }).export({
      format: 'jwk',
    });
    expect(body.public_key).toBe(`whpk_${Buffer.from(derived.x ?? '', 'base64url').toString('base64')}`);
    expect(() => decrypt(ciphertext, [encryptionKey], newUuid())).toThrow();
  });

  it('is rotated with an overlap: both public keys are listed, the newest first, at most five', async () => {
    const first = (await call('POST')).body;
    const second = (await call('POST', { overlap_hours: 1 })).body;
    const { body } = await call('GET');
    expect(body).toEqual({ data: [second, { ...first, expires_at: expect.any(String) }], total: 2 });
    expect(Date.parse(body.data[0].created_at)).toBeLessThanOrEqual(Date.now());
    for (let more = 0; more < 5; more += 1) await call('POST');
    expect((await call('GET')).body.total).toBe(5);
  });

  it('is revoked at once by a rotation with an overlap of 0', async () => {
    await call('POST');
    const { body } = await call('POST', { overlap_hours: 0 });
    expect((await call('GET')).body).toEqual({ data: [body], total: 1 });
    expect((await call('POST', { overlap_hours: -1 })).status).toBe(400);
    expect((await call('POST', { overlap: 0 })).status).toBe(400);
  });

  it('does not exist for another tenant, and is deleted with its webhook', async () => {
    await call('POST');
    const other = encodeId('tenant', await gateway.fixture.tenant());
    const { key: stranger } = (await gateway.operator('POST', `/tenants/${other}/api-keys`, { name: 'x' })).body;
    for (const method of ['GET', 'POST']) {
      expect((await call(method, undefined, webhookId, stranger)).status).toBe(404);
      expect((await call(method, undefined, newUuid())).status).toBe(404);
    }
    await gateway.fixture.rows('delete from webhooks where id = $1', [webhookId]);
    expect(await gateway.fixture.rows('select 1 from webhook_signing_keys where webhook_id = $1', [webhookId])).toEqual(
      [],
    );
  });
});
