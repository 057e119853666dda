import { randomBytes } from 'node:crypto';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../database.js';
import { deleteWebhook, insertWebhook, listWebhooks, maxWebhooks, rotateWebhookSecret } from './webhooks.js';

let testDatabase: TestDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let webhookId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  fixture = DirectoryFixture.connect(testDatabase.url);
});

afterAll(async () => {
  await fixture?.close();
  await database?.close();
  await testDatabase?.drop();
});

beforeEach(async () => {
  tenantId = await fixture.tenant();
  const webhook = await database.transaction(tenantId, (tx) =>
    insertWebhook(tx, tenantId, {
      callbackUrl: 'https://example.com',
      events: ['*'],
      encryptedSecret: randomBytes(40),
    }),
  );
  webhookId = webhook?.id ?? '';
});

async function rotate(overlapHours = 24): Promise<Buffer> {
  const secret = randomBytes(40);
  await database.transaction(tenantId, (tx) => rotateWebhookSecret(tx, tenantId, webhookId, secret, overlapHours));
  return secret;
}

const secrets = () =>
  fixture.rows<{ ciphertext: Buffer; hours: string | null }>(
    `select ciphertext, round(extract(epoch from expires_at - now()) / 3600) as hours
       from webhook_secrets where webhook_id = $1 order by id`,
    [webhookId],
  );

describe('creating a webhook', () => {
  it('is rejected if the tenant has the maximum number of webhooks', async () => {
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events)
       select gen_random_uuid(), $1, 'https://example.com', '{*}' from generate_series(2, $2::int)`,
      [tenantId, maxWebhooks],
    );
    const one = { callbackUrl: 'https://example.com', events: ['*'], encryptedSecret: randomBytes(40) };
    expect(await database.transaction(tenantId, (tx) => insertWebhook(tx, tenantId, one))).toBeUndefined();
    const other = await fixture.tenant();
    expect(await database.transaction(other, (tx) => insertWebhook(tx, other, one))).toMatchObject({ active: true });
  });
});

describe('the list of webhooks', () => {
  it('includes the reason for a disabled webhook until it is enabled again', async () => {
    const listed = async () => {
      const [row] = await database.transaction(tenantId, (tx) => listWebhooks(tx, tenantId));
      return row;
    };
    expect(await listed()).toMatchObject({ active: true, disabledReason: null });
    await fixture.rows(
      `insert into webhook_endpoints (webhook_id, tenant_id, disabled_at, disabled_reason) values ($1, $2, now(), 'it is gone')`,
      [webhookId, tenantId],
    );
    await fixture.rows('update webhooks set active = false where id = $1', [webhookId]);
    expect(await listed()).toMatchObject({ active: false, disabledReason: 'it is gone', disabledAt: expect.any(Date) });
    await fixture.rows('update webhooks set active = true where id = $1', [webhookId]);
    expect(await listed()).toMatchObject({ active: true, disabledReason: null });
  });
});

describe('rotating a secret', () => {
  it('keeps the old one valid for the given hours, and the new one without expiry', async () => {
    const fresh = await rotate(24);
    const kept = await secrets();
    expect(kept.map(({ hours }) => (hours === null ? null : Number(hours)))).toEqual([24, null]);
    expect(kept[1]?.ciphertext).toEqual(fresh);
  });

  it('keeps at most the newest five', async () => {
    const made: Buffer[] = [];
    for (let turn = 0; turn < 9; turn += 1) made.push(await rotate());
    expect((await secrets()).map(({ ciphertext }) => ciphertext)).toEqual(made.slice(-5));
  });

  it('keeps at most five, one of them without expiry, under concurrent rotations', async () => {
    await Promise.all(Array.from({ length: 12 }, () => rotate()));
    const kept = await secrets();
    expect(kept).toHaveLength(5);
    expect(kept.filter(({ hours }) => hours === null)).toHaveLength(1);
  });

  it('never extends the expiry of an earlier secret', async () => {
    await rotate(1);
    await rotate(24);
    expect((await secrets()).map(({ hours }) => (hours === null ? null : Number(hours)))).toEqual([1, 24, null]);
  });

  it('without an overlap keeps only the new secret', async () => {
    await rotate(24);
    await rotate(720);
    const fresh = await rotate(0);
    expect((await secrets()).map(({ ciphertext }) => ciphertext)).toEqual([fresh]);
  });

  it('deletes expired secrets', async () => {
    await rotate();
    await fixture.rows(`update webhook_secrets set expires_at = now() - interval '1 s' where expires_at is not null`);
    await rotate();
    expect(await secrets()).toHaveLength(2);
  });

  it('returns false for a deleted webhook and one of another tenant', async () => {
    const stranger = await fixture.tenant();
    const byStranger = await database.transaction(stranger, (tx) =>
      rotateWebhookSecret(tx, stranger, webhookId, randomBytes(40), 24),
    );
    expect(byStranger).toBe(false);
    expect(await secrets()).toHaveLength(1);
    expect(await database.transaction(tenantId, (tx) => deleteWebhook(tx, tenantId, webhookId))).toBe(true);
    expect(await secrets()).toEqual([]);
  });
});
