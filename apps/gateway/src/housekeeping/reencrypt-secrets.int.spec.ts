import { randomBytes } from 'node:crypto';
import { newUuid } from '@idsync/contracts';
import { type Database, decrypt, encrypt } from '@idsync/database';
import { insertWebhook, rotateWebhookSecret } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayConfig } from '../../test/gateway-config.js';
import { startGateway } from '../start.js';
import { type EncryptionKeys, reencryption } from './reencrypt-secrets.js';

const [current, previous, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let logged: { level: string; place: string; resealed: number; unopened: number }[];

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  ({ database, fixture } = own);
});

beforeEach(async () => {
  logged = [];
  await fixture.rows('delete from webhooks');
});

afterAll(async () => {
  await own?.close();
});

interface StoredWebhook {
  tenantId: string;
  webhookId: string;
  secret: string;
}

/** Creates a webhook in a new tenant, with one secret encrypted with the key. */
async function webhook(key: Buffer): Promise<StoredWebhook> {
  const tenantId = await fixture.tenant();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const row = await database.transaction(tenantId, (tx) =>
    insertWebhook(tx, {
      callbackUrl: 'https://example.com',
      events: ['*'],
      encryptedSecret: encrypt(secret, key, tenantId),
    }),
  );
  return { tenantId, webhookId: row?.id ?? '', secret };
}

const ciphertextsOf = ({ webhookId }: StoredWebhook) =>
  fixture.rows<{ ciphertext: Buffer }>('select ciphertext from webhook_secrets where webhook_id = $1 order by id', [
    webhookId,
  ]);

/** Returns a webhook's secrets, undefined for those that no key decrypts. */
async function decryptedWith(keys: readonly Buffer[], stored: StoredWebhook): Promise<(string | undefined)[]> {
  return (await ciphertextsOf(stored)).map(({ ciphertext }) => {
    try {
      return decrypt(ciphertext, keys, stored.tenantId);
    } catch {
      return undefined;
    }
  });
}

const logger = {
  ...silentLogger,
  info: (fields: object | string) => void logged.push({ level: 'info', ...Object(fields) }),
  warn: (fields: object | string) => void logged.push({ level: 'warn', ...Object(fields) }),
};
const report = (place: string, resealed: number) => ({ level: 'info', place, resealed, unopened: 0 });

/** Walks over all secrets in batches, as housekeeping does. Returns the number of batches. */
async function walk(keys: EncryptionKeys = [current, previous], batchSize = 500): Promise<number> {
  const { run } = reencryption(database, 'webhooks', keys, logger, batchSize);
  let batches = 1;
  while ((await run()) >= batchSize) batches += 1;
  return batches;
}

describe('re-encryption of secrets', () => {
  it('encrypts all secrets with the current key, so that the previous key is no longer needed', async () => {
    const webhooks = [await webhook(previous), await webhook(current), await webhook(previous)];
    await walk();
    for (const stored of webhooks) expect(await decryptedWith([current], stored)).toEqual([stored.secret]);
    expect(logged).toEqual([report('webhooks', 2)]);
  });

  it('processes any number of secrets in batches, and changes nothing on the second walk', async () => {
    const webhooks = [];
    for (let count = 0; count < 10; count += 1) webhooks.push(await webhook(previous));
    expect(await walk(undefined, 3)).toBe(4);
    const encrypted = await Promise.all(webhooks.map(ciphertextsOf));
    expect(await walk(undefined, 5)).toBe(3);
    expect(await Promise.all(webhooks.map(ciphertextsOf))).toEqual(encrypted);
    expect(logged).toEqual([report('webhooks', 10), report('webhooks', 0)]);
  });

  it('starts again after its end and finds secrets encrypted with the previous key in the meantime', async () => {
    const { run } = reencryption(database, 'webhooks', [current, previous], logger);
    await run();
    const late = await webhook(previous);
    await run();
    expect(await decryptedWith([current], late)).toEqual([late.secret]);
  });

  it('skips secrets that no key decrypts, and logs their number', async () => {
    const [strange, mine] = [await webhook(lost), await webhook(previous)];
    const moved = await webhook(previous);
    await fixture.rows('update webhook_secrets set ciphertext = $2 where webhook_id = $1', [
      moved.webhookId,
      encrypt('of another tenant', previous, newUuid()),
    ]);
    await walk(undefined, 1);
    expect(await decryptedWith([lost], strange)).toEqual([strange.secret]);
    expect(await decryptedWith([current], mine)).toEqual([mine.secret]);
    expect(logged).toEqual([{ level: 'warn', place: 'webhooks', resealed: 1, unopened: 2 }]);
  });

  it('skips expired secrets', async () => {
    const expired = await webhook(lost);
    await fixture.rows(`update webhook_secrets set expires_at = now() - interval '1 s' where webhook_id = $1`, [
      expired.webhookId,
    ]);
    await walk();
    expect(logged).toEqual([report('webhooks', 0)]);
  });

  it('preserves the expiry of an old secret', async () => {
    const stored = await webhook(previous);
    const fresh = encrypt('the new one', previous, stored.tenantId);
    await database.transaction(stored.tenantId, (tx) => rotateWebhookSecret(tx, stored.webhookId, fresh, 24));
    const expiry = () =>
      fixture.rows('select id, expires_at from webhook_secrets where webhook_id = $1 order by id', [stored.webhookId]);
    const before = await expiry();
    await walk();
    expect(await expiry()).toEqual(before);
    expect(await decryptedWith([current], stored)).toEqual([stored.secret, 'the new one']);
  });

  it('re-encrypts each secret once when several gateways run it concurrently', async () => {
    const webhooks = [];
    for (let count = 0; count < 20; count += 1) webhooks.push(await webhook(previous));
    await Promise.all([walk(undefined, 4), walk(undefined, 7), walk(undefined, 20)]);
    for (const stored of webhooks) expect(await decryptedWith([current], stored)).toEqual([stored.secret]);
    expect(logged.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(20);
  });

  it('waits for a concurrent rotation and does not restore the secrets that it removed', async () => {
    const stored = await webhook(previous);
    let rotate = () => {};
    const mayRotate = new Promise<void>((resolve) => {
      rotate = resolve;
    });
    let started = () => {};
    const removed = new Promise<void>((resolve) => {
      started = resolve;
    });
    const fresh = encrypt('the new one', current, stored.tenantId);
    const rotation = database.transaction(stored.tenantId, async (tx) => {
      await rotateWebhookSecret(tx, stored.webhookId, fresh, 24);
      await tx.query('delete from webhook_secrets where webhook_id = $1 and expires_at is not null', [
        stored.webhookId,
      ]);
      started();
      await mayRotate;
    });
    await removed;
    const walked = walk();
    await fixture.waitForBlockedLock();
    rotate();
    await Promise.all([rotation, walked]);
    expect(await decryptedWith([current, previous], stored)).toEqual(['the new one']);
    expect(logged).toEqual([report('webhooks', 0)]);
  });

  it('includes the secrets of connectors', async () => {
    const tenantId = await fixture.tenant();
    const connectorId = await fixture.connector(tenantId);
    const secrets = '{"password":"hunter2"}';
    await fixture.rows(
      'insert into connector_secrets (connector_id, tenant_id, ciphertext, names) values ($1, $2, $3, $4)',
      [connectorId, tenantId, encrypt(secrets, previous, tenantId), ['password']],
    );
    const { run } = reencryption(database, 'connectors', [current, previous], logger);
    await run();
    const [row] = await fixture.rows<{ ciphertext: Buffer }>(
      'select ciphertext from connector_secrets where connector_id = $1',
      [connectorId],
    );
    expect(row && decrypt(row.ciphertext, [current], tenantId)).toBe(secrets);
    expect(logged).toEqual([report('connectors', 1)]);
  });

  it('runs after the start of a gateway, which serves requests meanwhile', async () => {
    const stored = await webhook(previous);
    const gateway = await startGateway(
      gatewayConfig(own.url, { ENCRYPTION_KEY: current, ENCRYPTION_KEYS_PREVIOUS: [previous] }),
    );
    expect((await fetch(`${gateway.url}/v1/health`)).status).toBe(200);
    await until(async () => (await decryptedWith([current], stored))[0], 'a secret that the current key decrypts');
    await gateway.close();
    expect(await decryptedWith([current], stored)).toEqual([stored.secret]);
  });

  it('loses no secret to concurrent rotations', async () => {
    const webhooks = [];
    for (let count = 0; count < 5; count += 1) webhooks.push(await webhook(previous));
    const rotations = webhooks.flatMap(({ tenantId, webhookId }) =>
      Array.from({ length: 3 }, (_, turn) =>
        database.transaction(tenantId, (tx) =>
          rotateWebhookSecret(tx, webhookId, encrypt(`turn ${turn}`, previous, tenantId), 24),
        ),
      ),
    );
    await Promise.all([...rotations, walk(undefined, 2), walk(undefined, 3)]);
    await walk();
    for (const stored of webhooks) {
      const [first, ...later] = await decryptedWith([current], stored);
      expect([first, ...later.sort()]).toEqual([stored.secret, 'turn 0', 'turn 1', 'turn 2']);
    }
  });
});
