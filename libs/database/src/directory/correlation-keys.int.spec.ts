import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../database.js';
import { assignKeys, type CorrelationKey, lockKeys, releaseKeys } from './correlation-keys.js';

let testDatabase: TestDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.connect({ url: testDatabase.url, service: 'directory' });
  fixture = DirectoryFixture.connect(testDatabase.url);
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await database?.close();
  await fixture?.close();
  await testDatabase?.drop();
});

const mail = (value: string): CorrelationKey => ({ kind: 'email', value });
const ann = mail('ann@x.org');
const bob = mail('bob@x.org');

describe('correlation keys', () => {
  it('are assigned to the expected identity while they have none', async () => {
    const [expectedId, identityId] = [newUuid(), newUuid()];
    await database.transaction(tenant, async (tx) => {
      expect(await lockKeys(tx, tenant, [{ ...ann, expectedId }])).toEqual([{ ...ann, expectedId }]);
    });
    await database.transaction(tenant, async (tx) => {
      await lockKeys(tx, tenant, [ann]);
      await assignKeys(tx, tenant, [{ ...ann, identityId }]);
    });
    const held = await database.transaction(tenant, (tx) =>
      lockKeys(tx, tenant, [
        { ...bob, expectedId },
        { ...ann, expectedId },
      ]),
    );
    expect(held).toHaveLength(2);
    expect(held).toEqual(
      expect.arrayContaining([
        { ...ann, identityId },
        { ...bob, expectedId },
      ]),
    );
  });

  it('are locked after waiting for another transaction, even if that one deleted them', async () => {
    await database.transaction(tenant, async (tx) => {
      await lockKeys(tx, tenant, [ann]);
      await assignKeys(tx, tenant, [{ ...ann, identityId: newUuid() }]);
    });
    let waiting: Promise<unknown> | undefined;
    await database.transaction(tenant, async (tx) => {
      await lockKeys(tx, tenant, [ann]);
      waiting = database.transaction(tenant, (other) => lockKeys(other, tenant, [ann, bob]));
      await fixture.waitForBlockedLock();
      await releaseKeys(tx, tenant, [ann]);
    });
    expect(await waiting).toEqual(expect.arrayContaining([ann, bob]));
    expect(await fixture.rows('select value from correlation_keys where tenant_id = $1 order by 1', [tenant])).toEqual([
      { value: 'ann@x.org' },
      { value: 'bob@x.org' },
    ]);
  });
});
