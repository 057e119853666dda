import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../database.js';
import { type FinishedAttempt, finishAttempts } from './finish-attempts.js';

let testDatabase: TestDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenantId: string;
let deliveryId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.connect({ url: testDatabase.url, service: 'webhook-dispatcher' });
  fixture = DirectoryFixture.connect(testDatabase.url);
  tenantId = await fixture.tenant();
});

beforeEach(() => {
  deliveryId = newUuid();
});

afterAll(async () => {
  await fixture?.close();
  await database?.close();
  await testDatabase?.drop();
});

/** Adds a delivery with a lease for its last try, and that many attempts without an outcome. */
async function delivery(tries: number): Promise<void> {
  const webhookId = newUuid();
  await fixture.rows(
    `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, tries, attempts, is_retry, due_at, lease_until)
     values ($1, $2, $3, 1, 'user.updated', 'pending', $4, $4 - 1, $4 > 1, now(), now() + interval '1 minute')`,
    [deliveryId, tenantId, webhookId, tries],
  );
  await fixture.rows(
    `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id)
     select $1, n, $2, $3 from generate_series(1, $4::integer) as n`,
    [deliveryId, tenantId, webhookId, tries],
  );
}

async function finish(...finished: Partial<FinishedAttempt>[]): Promise<string[]> {
  const rest = { outcome: 'delivered', durationMs: 3, endedAt: new Date(), status: 'delivered', counts: true } as const;
  const attempts = finished.map((each) => ({ deliveryId, number: 1, ...rest, ...each }));
  const rows = await database.write<{ id: string }>(tenantId, finishAttempts(tenantId, attempts));
  return rows.map(({ id }) => id);
}

async function stored() {
  const [known] = await fixture.rows(
    'select status, attempts, lease_until is not null as leased from webhook_deliveries where id = $1',
    [deliveryId],
  );
  const attempts = await fixture.rows<{ outcome: string | null }>(
    'select outcome from webhook_attempts where delivery_id = $1 order by number',
    [deliveryId],
  );
  return { ...known, outcomes: attempts.map(({ outcome }) => outcome) };
}

describe('the outcome of an attempt', () => {
  it('ends the delivery and releases its lease', async () => {
    await delivery(1);
    expect(await finish({})).toEqual([deliveryId]);
    expect(await stored()).toEqual({ status: 'delivered', attempts: 1, leased: false, outcomes: ['delivered'] });
  });

  it('is not stored if another attempt has the lease by now', async () => {
    await delivery(2);
    expect(await finish({ number: 1 })).toEqual([]);
    expect(await stored()).toEqual({ status: 'pending', attempts: 1, leased: true, outcomes: [null, null] });
  });

  it('is stored of the attempt with the lease if an earlier one ends in the same batch', async () => {
    await delivery(2);
    expect(await finish({ number: 1, outcome: 'failed', status: 'pending' }, { number: 2 })).toEqual([deliveryId]);
    expect(await stored()).toEqual({ status: 'delivered', attempts: 2, leased: false, outcomes: [null, 'delivered'] });
  });

  it('is stored beside those of other deliveries, each with its own', async () => {
    await delivery(1);
    const first = deliveryId;
    deliveryId = newUuid();
    await delivery(1);
    await finish({ deliveryId: first, outcome: 'failed', status: 'dead' }, {});
    expect(await stored()).toMatchObject({ status: 'delivered', outcomes: ['delivered'] });
    deliveryId = first;
    expect(await stored()).toMatchObject({ status: 'dead', outcomes: ['failed'] });
  });
});
