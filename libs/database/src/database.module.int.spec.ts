import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Database } from './database.js';
import { DatabaseModule } from './database.module.js';
import { WebhookEntity } from './entities/gateway.entities.js';
import { TenantEntity } from './entities/tenant.entities.js';

let testDatabase: TestDatabase;
let fixture: DirectoryFixture;
let app: INestApplicationContext;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  fixture = DirectoryFixture.connect(testDatabase.url);
  app = await start(testDatabase.url);
  database = app.get(Database);
});

afterAll(async () => {
  await app?.close();
  await fixture?.close();
  await testDatabase?.drop();
});

function start(url: string): Promise<INestApplicationContext> {
  const module = DatabaseModule.forRootAsync({ service: 'gateway', useFactory: () => ({ url }) });
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

async function createTenant(): Promise<string> {
  const id = newUuid();
  await database.transaction(id, (tx) => tx.manager.insert(TenantEntity, { id, name: 'Acme' }));
  return id;
}

const webhookOf = (tenantId: string) => ({ id: newUuid(), tenantId, callbackUrl: 'https://a.test', events: ['*'] });

describe('repositories of a transaction', () => {
  it('write and read rows of the tenant', async () => {
    const tenantId = await createTenant();
    const webhook = webhookOf(tenantId);
    await database.transaction(tenantId, (tx) => tx.manager.getRepository(WebhookEntity).insert(webhook));
    const found = await database.transaction(tenantId, (tx) => tx.manager.find(WebhookEntity));
    expect(found).toMatchObject([webhook]);
  });

  it('see no row of another tenant, though no condition names one', async () => {
    const [one, other] = [await createTenant(), await createTenant()];
    await database.transaction(one, (tx) => tx.manager.insert(WebhookEntity, webhookOf(one)));
    expect(await database.transaction(other, (tx) => tx.manager.find(WebhookEntity))).toEqual([]);
    await expect(database.transaction(other, (tx) => tx.manager.insert(WebhookEntity, webhookOf(one)))).rejects.toThrow(
      'row-level security',
    );
  });

  it.each(['insert', 'save'] as const)('roll back an %s when the transaction fails later', async (method) => {
    const tenantId = await createTenant();
    const failing = database.transaction(tenantId, async (tx) => {
      await tx.manager.getRepository(WebhookEntity)[method](webhookOf(tenantId));
      throw new Error('later');
    });
    await expect(failing).rejects.toThrow('later');
    expect(await fixture.rows('select id from webhooks where tenant_id = $1', [tenantId])).toEqual([]);
  });

  it('do not commit by themselves: a failed part is rolled back alone, and all with the whole', async () => {
    const tenantId = await createTenant();
    const [first, failed, last] = [webhookOf(tenantId), webhookOf(tenantId), webhookOf(tenantId)];
    const insert = (webhook: typeof first, error?: Error) =>
      database.transaction(tenantId, async (tx) => {
        await tx.manager.insert(WebhookEntity, first);
        const part = tx.manager.transaction(async (manager) => {
          await manager.insert(WebhookEntity, failed);
          throw new Error('part');
        });
        await expect(part).rejects.toThrow('part');
        await tx.manager.transaction((manager) => manager.insert(WebhookEntity, webhook));
        if (error) throw error;
      });
    await expect(insert(last, new Error('whole'))).rejects.toThrow('whole');
    const stored = () => fixture.rows('select id from webhooks where tenant_id = $1 order by id', [tenantId]);
    expect(await stored()).toEqual([]);
    await insert(last);
    expect(await stored()).toEqual([{ id: first.id }, { id: last.id }]);
  });
});

describe('the module', () => {
  it('closes its connections with the application', async () => {
    const own = await createTestDatabase();
    const other = await start(own.url);
    await other.get(Database).ping();
    await other.close();
    const left = 'select pid from pg_stat_activity where datname = $1 and application_name = $2';
    const backends = () => fixture.rows(left, [new URL(own.url).pathname.slice(1), database.role]);
    // The server reports a backend until it has exited. A pool that stays open closes idle connections after ten seconds.
    await until(async () => (await backends()).length === 0, 'the end of all backends', 8_000);
    await own.drop();
  });

  it('fails to start without retries and with the reason if PostgreSQL rejects the connection', async () => {
    const url = new URL(testDatabase.url);
    url.pathname = '/idsync_absent';
    await expect(start(url.href)).rejects.toThrow(
      /^DATABASE_URL: .* rejected the connection: database "idsync_absent" does not exist$/,
    );
  });
});
