import { newUuid } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askForProbe, type EndpointResult, saveEndpointResults, takeProbes } from './endpoints.js';
import { type FinishedAttempt, finishAttempts } from './finish-attempts.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;
let tenantId: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('webhook-dispatcher');
  fixture = own.fixture;
  tenantId = await fixture.tenant();
});

afterAll(() => own?.close());

describe('an endpoint', () => {
  let webhookId: string;

  beforeEach(() => {
    webhookId = newUuid();
  });

  function save(result: Partial<EndpointResult>): Promise<void> {
    const nothing = { failures: 0, succeeded: false, exhausted: false, trips: 0 };
    return own.database.transaction(tenantId, (tx) =>
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
    const ask = () => own.database.transaction(tenantId, (tx) => askForProbe(tx, webhookId));
    const take = () => own.database.transaction(tenantId, (tx) => takeProbes(tx, [webhookId]));

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
      const killed = own.database.transaction(tenantId, async (tx) => {
        await takeProbes(tx, [webhookId]);
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
});

describe('the outcome of an attempt', () => {
  const webhookId = newUuid();
  let deliveryId: string;

  beforeEach(() => {
    deliveryId = newUuid();
  });

  /** Adds a delivery with a lease for its last try, and that many attempts without an outcome. */
  async function delivery(tries: number): Promise<void> {
    const others = await fixture.rows('select from webhook_deliveries');
    await fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, tries, attempts, is_retry, due_at, lease_until)
       values ($1, $2, $3, $5, 'user.updated', 'pending', $4, $4 - 1, $4 > 1, now(), now() + interval '1 minute')`,
      [deliveryId, tenantId, webhookId, tries, others.length],
    );
    await fixture.rows(
      `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id)
       select $1, n, $2, $3 from generate_series(1, $4::integer) as n`,
      [deliveryId, tenantId, webhookId, tries],
    );
  }

  async function finish(...finished: Partial<FinishedAttempt>[]): Promise<string[]> {
    const rest = {
      outcome: 'delivered',
      durationMs: 3,
      endedAt: new Date(),
      status: 'delivered',
      counts: true,
    } as const;
    const attempts = finished.map((each) => ({ deliveryId, number: 1, ...rest, ...each }));
    const rows = await own.database.write<{ id: string }>(tenantId, finishAttempts(tenantId, attempts));
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

  it('ends the delivery and releases its lease', async () => {
    await delivery(1);
    expect(await finish({})).toEqual([deliveryId]);
    expect(await stored()).toEqual({ status: 'delivered', attempts: 1, leased: false, outcomes: ['delivered'] });
  });

  it('is counted once in the hour of its end', async () => {
    const counted = (hour: string) =>
      fixture.rows(
        `select outcome, sum(attempts)::int as attempts from webhook_hours
          where tenant_id = $1 and hour = $2 group by outcome order by outcome`,
        [tenantId, hour],
      );
    const endedAt = new Date('2026-11-24T13:59:59.999Z');
    await delivery(1);
    const attempt = { endedAt, outcome: 'rejected', status: 'pending' } as const;
    await Promise.all([finish(attempt), finish(attempt)]);
    await finish(attempt);
    expect(await counted('2026-11-24T13:00:00Z')).toEqual([{ outcome: 'rejected', attempts: 1 }]);
    deliveryId = newUuid();
    await delivery(1);
    await finish(attempt);
    deliveryId = newUuid();
    await delivery(1);
    await finish({ endedAt });
    expect(await counted('2026-11-24T13:00:00Z')).toEqual([
      { outcome: 'delivered', attempts: 1 },
      { outcome: 'rejected', attempts: 2 },
    ]);
    await finish({ endedAt: new Date('2026-11-24T14:00:00Z') });
    expect(await counted('2026-11-24T14:00:00Z')).toEqual([]);
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
