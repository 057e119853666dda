import { newUuid } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../../test/rows-fetched.js';
import { findAttemptStatistics, findWebhookHealth, listWebhookHealth } from './webhook-health.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;
let tenant: string;
let webhook: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
});

beforeEach(async () => {
  tenant = await fixture.tenant();
  webhook = newUuid();
  await fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
    [webhook, tenant],
  );
});

afterAll(async () => {
  await own?.close();
});

/** Inserts deliveries that are due one minute after each other. */
async function deliveries(count: number, status: string, isRetry: boolean, from = 1): Promise<void> {
  await fixture.rows(
    `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry, due_at)
     select gen_random_uuid(), $1, $2, n, 'user.created', $3, $4, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute'
       from generate_series($5::int, $5::int + $6::int - 1) n`,
    [tenant, webhook, status, isRetry, from, count],
  );
}

async function endpoint(columns: string): Promise<void> {
  await fixture.rows(
    `insert into webhook_endpoints (webhook_id, tenant_id, failures, open_until, disabled_at, disabled_reason, last_success_at, state_since)
     values ($1, $2, ${columns})`,
    [webhook, tenant],
  );
}

const health = () => own.database.transaction(tenant, (tx) => findWebhookHealth(tx, tenant, webhook));

describe('the health of a webhook', () => {
  it('has zero counts before anything was sent', async () => {
    expect(await health()).toMatchObject({
      pending: 0,
      dead: 0,
      oldestDueAt: null,
      failures: 0,
      openUntil: null,
      disabledAt: null,
    });
  });

  it('counts first attempts and retries as pending, with the earliest due time', async () => {
    await deliveries(3, 'pending', false, 11);
    await deliveries(2, 'pending', true, 5);
    await deliveries(4, 'dead', true, 20);
    await deliveries(50, 'delivered', true, 30);
    const oldestDueAt = new Date('2026-01-01T00:05:00Z');
    expect(await health()).toMatchObject({ pending: 5, dead: 4, countedTo: 10_000, oldestDueAt });
  });

  it('counts deliveries up to its reported limit', async () => {
    await deliveries(10_500, 'dead', true);
    const found = await own.database.transaction(tenant, async (tx) => {
      const before = await rowsFetched(tx, 'webhook_deliveries');
      const row = await findWebhookHealth(tx, tenant, webhook);
      return { dead: row?.dead, fetched: (await rowsFetched(tx, 'webhook_deliveries')) - before };
    });
    expect(found).toEqual({ dead: 10_001, fetched: 10_001 });
  });

  it('counts up to a lower limit in a long list, the same for all webhooks', async () => {
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events)
       select gen_random_uuid(), $1, 'https://x.org', '{*}' from generate_series(2, 1000)`,
      [tenant],
    );
    await deliveries(2_000, 'dead', true);
    const rows = await own.database.transaction(tenant, (tx) => listWebhookHealth(tx, tenant));
    expect(rows).toHaveLength(1_000);
    expect(rows.find(({ id }) => id === webhook)).toMatchObject({ dead: 51, countedTo: 50, pending: 0 });
    expect(await own.database.transaction(await fixture.tenant(), (tx) => listWebhookHealth(tx, tenant))).toEqual([]);
  });

  it('includes the circuit breaker and the reason for disabling the webhook', async () => {
    await endpoint(`12, now() + interval '1 minute', now(), 'gone', now(), now() + interval '1 s'`);
    await fixture.rows('update webhooks set active = false where id = $1', [webhook]);
    expect(await health()).toMatchObject({
      failures: 12,
      openUntil: expect.any(Date),
      disabledReason: 'gone',
      active: false,
    });
  });

  it('keeps only the last success after a change of the webhook', async () => {
    await endpoint(`12, now() + interval '1 minute', now(), 'gone', now(), now() - interval '1 s'`);
    expect(await health()).toMatchObject({
      failures: 0,
      openUntil: null,
      disabledAt: null,
      disabledReason: null,
      lastSuccessAt: expect.any(Date),
    });
  });
});

describe('attempt statistics', () => {
  const statistics = () => own.database.transaction(tenant, (tx) => findAttemptStatistics(tx, tenant, webhook));

  async function attempts(count: number, minutesAgo: string, outcome: string | null): Promise<void> {
    await fixture.rows(
      `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, started_at, outcome, duration_ms)
       select gen_random_uuid(), 1, $1, $2, now() - (${minutesAgo}) * interval '1 minute', $3::text, case when $3 is not null then n end
         from generate_series(1, $4::int) n`,
      [tenant, webhook, outcome, count],
    );
  }

  it('are empty without attempts', async () => {
    expect(await statistics()).toMatchObject({ attempts: 0, p50: null, p99: null, outcomes: {} });
  });

  it('cover the last 24 hours', async () => {
    await attempts(100, '5', 'delivered');
    await attempts(10, '6', 'rejected');
    await attempts(1, '0', null);
    await attempts(500, '24 * 60 + 1', 'timed_out');
    const { since, hours, ...rest } = await statistics();
    expect(hours).toHaveLength(24);
    expect(hours.reduce((sum, hour) => sum + hour.delivered, 0)).toBe(100);
    expect(hours.reduce((sum, hour) => sum + hour.failed, 0)).toBe(10);
    expect(rest).toEqual({ attempts: 111, p50: 45, p99: 99, outcomes: { delivered: 100, rejected: 10 } });
    expect(Math.abs(Date.now() - since.getTime() - 24 * 3_600_000)).toBeLessThan(600_000);
  });

  it('cover only the newest 10 000 attempts if there are more', async () => {
    await attempts(10_000, '5', 'delivered');
    await attempts(10, '60', 'rejected');
    const { since, ...rest } = await statistics();
    expect(rest).toMatchObject({ attempts: 10_000, outcomes: { delivered: 10_000 } });
    expect(since.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
  });
});
