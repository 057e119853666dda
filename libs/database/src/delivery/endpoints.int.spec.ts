import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../database.js';
import { askForProbe, type EndpointResult, saveEndpointResults, takeProbes } from './endpoints.js';

let testDatabase: TestDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let webhookId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.connect({ url: testDatabase.url, service: 'webhook-dispatcher' });
  fixture = DirectoryFixture.connect(testDatabase.url);
  tenantId = await fixture.tenant();
});

beforeEach(() => {
  webhookId = newUuid();
});

afterAll(async () => {
  await fixture?.close();
  await database?.close();
  await testDatabase?.drop();
});

function save(result: Partial<EndpointResult>): Promise<void> {
  const nothing = { failures: 0, succeeded: false, exhausted: false, trips: 0 };
  return database.transaction(tenantId, (tx) =>
    saveEndpointResults(tx, [{ webhookId, tenantId, ...nothing, ...result }]),
  );
}

async function known() {
  const [row] = await fixture.rows(
    `select failures, trips, open_until as open, failing_since is not null as failing, exhausted_at is not null as exhausted,
            last_success_at is not null as succeeded
       from webhook_endpoints where webhook_id = $1`,
    [webhookId],
  );
  return row;
}

describe('the stored state of an endpoint', () => {
  const later = new Date('2999-01-01T00:00:00Z');

  it('adds up failures and keeps the time since which no delivery has succeeded', async () => {
    await save({ failures: 2 });
    await save({ failures: 3, exhausted: true });
    expect(await known()).toEqual({
      failures: 5,
      trips: 0,
      open: null,
      failing: true,
      exhausted: true,
      succeeded: false,
    });
  });

  it('keeps a breaker open that another process opened', async () => {
    await save({ failures: 10, openUntil: later, trips: 2 });
    await save({ failures: 1 });
    expect(await known()).toMatchObject({ failures: 11, trips: 2, open: later });
  });

  it('is reset by a success, except for later failures', async () => {
    await save({ failures: 10, openUntil: later, trips: 2, exhausted: true });
    await save({ succeeded: true, failures: 1 });
    expect(await known()).toEqual({
      failures: 1,
      trips: 0,
      open: null,
      failing: true,
      exhausted: false,
      succeeded: true,
    });
    await save({ succeeded: true });
    expect(await known()).toMatchObject({ failures: 0, failing: false });
  });
});

describe('a request for a probe', () => {
  const ask = () => database.transaction(tenantId, (tx) => askForProbe(tx, tenantId, webhookId));
  const take = () => database.transaction(tenantId, (tx) => takeProbes(tx, tenantId, [webhookId]));

  it('is kept for a failing endpoint only', async () => {
    expect(await ask()).toBe(false);
    await save({ succeeded: true });
    expect(await ask()).toBe(false);
    await save({ failures: 1 });
    expect(await ask()).toBe(true);
  });

  it('is taken by one of several processes, and again after the next request', async () => {
    await save({ failures: 1 });
    await ask();
    expect((await Promise.all([take(), take(), take()])).flat()).toEqual([webhookId]);
    expect(await take()).toEqual([]);
    await ask();
    expect(await take()).toEqual([webhookId]);
  });

  it('remains if the process that takes it is killed before its claim is committed', async () => {
    await save({ failures: 1 });
    await ask();
    const killed = database.transaction(tenantId, async (tx) => {
      await takeProbes(tx, tenantId, [webhookId]);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await take()).toEqual([webhookId]);
  });

  it('is answered by any success', async () => {
    await save({ failures: 1 });
    await ask();
    await save({ succeeded: true });
    expect(await take()).toEqual([]);
  });
});
