import { randomBytes } from 'node:crypto';
import { newUuid } from '@idsync/contracts';
import { type Database, insertWebhook, open, rotateWebhookSecret, seal } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { resealing, type SealingKeys } from './reseal-secrets.js';
import { startGateway } from './start.js';

const [current, earlier, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let told: string[];

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  ({ database, fixture } = own);
});

beforeEach(async () => {
  told = [];
  await fixture.rows('delete from webhooks');
});

afterAll(async () => {
  await own?.close();
});

interface Kept {
  tenantId: string;
  webhookId: string;
  secret: string;
}

/** A webhook of a tenant of its own, with one secret that this key sealed. */
async function webhook(key: Buffer): Promise<Kept> {
  const tenantId = await fixture.tenant();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const row = await database.transaction(tenantId, (tx) =>
    insertWebhook(tx, tenantId, {
      callbackUrl: 'https://example.com',
      events: ['*'],
      sealedSecret: seal(secret, key, tenantId),
    }),
  );
  return { tenantId, webhookId: row?.id ?? '', secret };
}

const sealedOf = ({ webhookId }: Kept) =>
  fixture.rows<{ ciphertext: Buffer }>('select ciphertext from webhook_secrets where webhook_id = $1 order by id', [
    webhookId,
  ]);

/** What these keys find in a webhook's secrets. */
async function openedWith(keys: readonly Buffer[], kept: Kept): Promise<(string | undefined)[]> {
  return (await sealedOf(kept)).map(({ ciphertext }) => {
    try {
      return open(ciphertext, keys, kept.tenantId);
    } catch {
      return undefined;
    }
  });
}

const log = { info: (text: string) => void told.push(text), warn: (text: string) => void told.push(`warn: ${text}`) };

/** A whole walk, portion by portion, as housekeeping does it. Returns how many portions it took. */
async function walk(keys: SealingKeys = [current, earlier], portion = 500): Promise<number> {
  const { run } = resealing(database, 'webhooks', keys, log, portion);
  let portions = 1;
  while ((await run()) >= portion) portions += 1;
  return portions;
}

describe('re-sealing', () => {
  it('seals whatever an earlier key sealed with the current one, so that the earlier is needed no more', async () => {
    const webhooks = [await webhook(earlier), await webhook(current), await webhook(earlier)];
    await walk();
    for (const kept of webhooks) expect(await openedWith([current], kept)).toEqual([kept.secret]);
    expect(told).toEqual(['secrets of webhooks: 2 re-sealed; all are sealed with ENCRYPTION_KEY']);
  });

  it('goes through any number of them in portions, and changes nothing the second time', async () => {
    const webhooks = [];
    for (let count = 0; count < 10; count += 1) webhooks.push(await webhook(earlier));
    expect(await walk(undefined, 3)).toBe(4);
    const sealed = await Promise.all(webhooks.map(sealedOf));
    expect(await walk(undefined, 5)).toBe(3);
    expect(await Promise.all(webhooks.map(sealedOf))).toEqual(sealed);
    expect(told.map((text) => text.split(';')[0])).toEqual([
      'secrets of webhooks: 10 re-sealed',
      'secrets of webhooks: 0 re-sealed',
    ]);
  });

  it('goes on from the beginning after its end, for what was sealed with the earlier key meanwhile', async () => {
    const { run } = resealing(database, 'webhooks', [current, earlier], log);
    await run();
    const late = await webhook(earlier);
    await run();
    expect(await openedWith([current], late)).toEqual([late.secret]);
  });

  it('leaves what no key opens as it is, passes over it and tells how many', async () => {
    const [strange, mine] = [await webhook(lost), await webhook(earlier)];
    const moved = await webhook(earlier);
    await fixture.rows('update webhook_secrets set ciphertext = $2 where webhook_id = $1', [
      moved.webhookId,
      seal('of another tenant', earlier, newUuid()),
    ]);
    await walk(undefined, 1);
    expect(await openedWith([lost], strange)).toEqual([strange.secret]);
    expect(await openedWith([current], mine)).toEqual([mine.secret]);
    expect(told).toEqual([
      'warn: secrets of webhooks: 1 re-sealed; 2 that no key opens: name their key in ENCRYPTION_KEYS_PREVIOUS, or give new ones',
    ]);
  });

  it('passes over what has expired, for nobody opens it any more', async () => {
    const expired = await webhook(lost);
    await fixture.rows(`update webhook_secrets set expires_at = now() - interval '1 s' where webhook_id = $1`, [
      expired.webhookId,
    ]);
    await walk();
    expect(told).toEqual(['secrets of webhooks: 0 re-sealed; all are sealed with ENCRYPTION_KEY']);
  });

  it('keeps when an old secret expires', async () => {
    const kept = await webhook(earlier);
    const fresh = seal('the new one', earlier, kept.tenantId);
    await database.transaction(kept.tenantId, (tx) =>
      rotateWebhookSecret(tx, kept.tenantId, kept.webhookId, fresh, 24),
    );
    const expiry = () =>
      fixture.rows('select id, expires_at from webhook_secrets where webhook_id = $1 order by id', [kept.webhookId]);
    const before = await expiry();
    await walk();
    expect(await expiry()).toEqual(before);
    expect(await openedWith([current], kept)).toEqual([kept.secret, 'the new one']);
  });

  it('does each once where several gateways do it at once', async () => {
    const webhooks = [];
    for (let count = 0; count < 20; count += 1) webhooks.push(await webhook(earlier));
    await Promise.all([walk(undefined, 4), walk(undefined, 7), walk(undefined, 20)]);
    for (const kept of webhooks) expect(await openedWith([current], kept)).toEqual([kept.secret]);
    const counts = told.map((text) => Number(/(\d+) re-sealed/.exec(text)?.[1]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  });

  it('waits for a rotation under way, and brings back nothing that it removed', async () => {
    const kept = await webhook(earlier);
    let rotate = () => {};
    const mayRotate = new Promise<void>((resolve) => {
      rotate = resolve;
    });
    let begun = () => {};
    const removed = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const fresh = seal('the new one', current, kept.tenantId);
    const rotation = database.transaction(kept.tenantId, async (tx) => {
      await rotateWebhookSecret(tx, kept.tenantId, kept.webhookId, fresh, 24);
      await tx.query('delete from webhook_secrets where webhook_id = $1 and expires_at is not null', [kept.webhookId]);
      begun();
      await mayRotate;
    });
    await removed;
    const walked = walk();
    await fixture.somebodyWaits();
    rotate();
    await Promise.all([rotation, walked]);
    expect(await openedWith([current, earlier], kept)).toEqual(['the new one']);
    expect(told).toEqual(['secrets of webhooks: 0 re-sealed; all are sealed with ENCRYPTION_KEY']);
  });

  it('reaches the secrets of connectors too', async () => {
    const tenantId = await fixture.tenant();
    const connectorId = await fixture.connector(tenantId);
    const secrets = '{"password":"hunter2"}';
    await fixture.rows(
      'insert into connector_secrets (connector_id, tenant_id, ciphertext, names) values ($1, $2, $3, $4)',
      [connectorId, tenantId, seal(secrets, earlier, tenantId), ['password']],
    );
    const { run } = resealing(database, 'connectors', [current, earlier], log);
    await run();
    const [row] = await fixture.rows<{ ciphertext: Buffer }>(
      'select ciphertext from connector_secrets where connector_id = $1',
      [connectorId],
    );
    expect(row && open(row.ciphertext, [current], tenantId)).toBe(secrets);
    expect(told).toEqual(['secrets of connectors: 1 re-sealed; all are sealed with ENCRYPTION_KEY']);
  });

  it('is what a gateway does after its start, while it answers', async () => {
    const kept = await webhook(earlier);
    const gateway = await startGateway({
      databaseUrl: own.url,
      host: '127.0.0.1',
      port: 0,
      adminToken: 'the-operators-token-of-this-test',
      encryptionKeys: [current, earlier],
      allowedCidrs: [],
      logLevel: 'fatal',
    });
    expect((await fetch(`${gateway.url}/v1/health`)).status).toBe(200);
    while ((await openedWith([current], kept))[0] === undefined)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await gateway.close();
    expect(await openedWith([current], kept)).toEqual([kept.secret]);
  });

  it('loses no secret to rotations at the same time', async () => {
    const webhooks = [];
    for (let count = 0; count < 5; count += 1) webhooks.push(await webhook(earlier));
    const rotations = webhooks.flatMap(({ tenantId, webhookId }) =>
      Array.from({ length: 3 }, (_, turn) =>
        database.transaction(tenantId, (tx) =>
          rotateWebhookSecret(tx, tenantId, webhookId, seal(`turn ${turn}`, earlier, tenantId), 24),
        ),
      ),
    );
    await Promise.all([...rotations, walk(undefined, 2), walk(undefined, 3)]);
    await walk();
    for (const kept of webhooks) {
      const [first, ...later] = await openedWith([current], kept);
      expect([first, ...later.sort()]).toEqual([kept.secret, 'turn 0', 'turn 1', 'turn 2']);
    }
  });
});
