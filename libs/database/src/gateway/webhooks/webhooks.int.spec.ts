import { randomBytes } from 'node:crypto';
import { newUuid } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rowsFetched } from '../../../test/rows-fetched.js';
import { type DeliveryQuery, findDelivery, listDeliveries } from './deliveries.js';
import { findAttemptStatistics, findWebhookHealth, listWebhookHealth } from './webhook-health.js';
import { deleteWebhook, insertWebhook, listWebhooks, maxWebhooks, rotateWebhookSecret } from './webhooks.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(() => own?.close());

describe('webhooks', () => {
  let webhookId: string;

  beforeEach(async () => {
    const webhook = await own.database.transaction(tenant, (tx) =>
      insertWebhook(tx, {
        callbackUrl: 'https://example.com',
        events: ['*'],
        encryptedSecret: randomBytes(40),
      }),
    );
    webhookId = webhook?.id ?? '';
  });

  async function rotate(overlapHours = 24): Promise<Buffer> {
    const secret = randomBytes(40);
    await own.database.transaction(tenant, (tx) => rotateWebhookSecret(tx, webhookId, secret, overlapHours));
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
        [tenant, maxWebhooks],
      );
      const one = { callbackUrl: 'https://example.com', events: ['*'], encryptedSecret: randomBytes(40) };
      expect(await own.database.transaction(tenant, (tx) => insertWebhook(tx, one))).toBeUndefined();
      const other = await fixture.tenant();
      expect(await own.database.transaction(other, (tx) => insertWebhook(tx, one))).toMatchObject({
        active: true,
      });
    });
  });

  describe('the list of webhooks', () => {
    it('includes the reason for a disabled webhook until it is enabled again', async () => {
      const listed = async () => {
        const [row] = await own.database.transaction(tenant, (tx) => listWebhooks(tx));
        return row;
      };
      expect(await listed()).toMatchObject({ active: true, disabledReason: null });
      await fixture.rows(
        `insert into webhook_endpoints (webhook_id, tenant_id, disabled_at, disabled_reason) values ($1, $2, now(), 'it is gone')`,
        [webhookId, tenant],
      );
      await fixture.rows('update webhooks set active = false where id = $1', [webhookId]);
      expect(await listed()).toMatchObject({
        active: false,
        disabledReason: 'it is gone',
        disabledAt: expect.any(Date),
      });
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
      const byStranger = await own.database.transaction(stranger, (tx) =>
        rotateWebhookSecret(tx, webhookId, randomBytes(40), 24),
      );
      expect(byStranger).toBe(false);
      expect(await secrets()).toHaveLength(1);
      expect(await own.database.transaction(tenant, (tx) => deleteWebhook(tx, webhookId))).toBe(true);
      expect(await secrets()).toEqual([]);
    });
  });
});

describe('webhook health', () => {
  let webhook: string;

  beforeEach(async () => {
    webhook = newUuid();
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
      [webhook, tenant],
    );
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

  const health = () => own.database.transaction(tenant, (tx) => findWebhookHealth(tx, webhook));

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
        const row = await findWebhookHealth(tx, webhook);
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
      const rows = await own.database.transaction(tenant, (tx) => listWebhookHealth(tx));
      expect(rows).toHaveLength(1_000);
      expect(rows.find(({ id }) => id === webhook)).toMatchObject({ dead: 51, countedTo: 50, pending: 0 });
      expect(await own.database.transaction(await fixture.tenant(), (tx) => listWebhookHealth(tx))).toEqual([]);
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
    const statistics = () => own.database.transaction(tenant, (tx) => findAttemptStatistics(tx, webhook));

    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

    /** Counts attempts as the dispatcher does. */
    async function ended(hoursAgo: number, counts: Record<string, number>): Promise<void> {
      await fixture.rows(
        `insert into webhook_hours (tenant_id, hour, webhook_id, outcome, attempts)
         select $1, date_trunc('hour', now()) - $3 * interval '1 hour', $2, key, value::bigint from jsonb_each_text($4)`,
        [tenant, webhook, hoursAgo, counts],
      );
    }

    async function timed(count: number, minutesAgo: number, ms: string): Promise<void> {
      await fixture.rows(
        `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, started_at, outcome, duration_ms)
         select gen_random_uuid(), 1, $1, $2, now() - $3 * interval '1 minute', 'delivered', ${ms}
           from generate_series(1, $4::int) n`,
        [tenant, webhook, minutesAgo, count],
      );
    }

    it('are empty without attempts', async () => {
      expect(await statistics()).toMatchObject({ attempts: 0, timed: 0, p50: null, p99: null, outcomes: {} });
    });

    it('count all attempts of this hour and the 23 before, and no others', async () => {
      await ended(0, { delivered: 3_000_000_000, rejected: 10, timed_out: 5, unknown: 2 });
      await ended(23, { delivered: 100 });
      await ended(24, { timed_out: 500 });
      const { hours, since, attempts, outcomes } = await statistics();
      expect(hours).toHaveLength(24);
      expect([hours[0], hours.at(-1)]).toMatchObject([
        { delivered: 100, failed: 0 },
        { delivered: 3_000_000_000, failed: 15 },
      ]);
      expect(sum(hours.flatMap(({ delivered, failed }) => [delivered, failed]))).toBe(3_000_000_115);
      expect(attempts).toBe(3_000_000_117);
      expect(outcomes).toEqual({ delivered: 3_000_000_100, rejected: 10, timed_out: 5, unknown: 2 });
      expect(new Date(hours[0]?.at ?? '')).toEqual(since);
    });

    it('have the durations of the newest 10 000 attempts', async () => {
      await timed(100, 5, 'n');
      expect(await statistics()).toMatchObject({ timed: 100, p50: 50, p99: 99 });
      await timed(10_000, 1, '7');
      expect(await statistics()).toMatchObject({ timed: 10_000, p50: 7, p99: 7 });
    });
  });
});

describe('deliveries', () => {
  interface Row {
    id: string;
    webhookId: string;
    sequence: number;
    status: 'pending' | 'delivered' | 'dead';
    isRetry: boolean;
    type: string;
  }

  const types = ['user.created', 'user.updated', 'identity.created'];
  const start = Date.parse('2026-01-01T00:00:00Z');
  const hour = 60 * 60_000;
  const occurred = (sequence: number) => new Date(start + sequence * hour);

  async function webhook(id = newUuid()): Promise<string> {
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
      [id, tenant],
    );
    return id;
  }

  /** Inserts one event per hour. */
  async function happened(count: number): Promise<void> {
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, n, gen_random_uuid(), 'user.created', $2::timestamptz + n * interval '1 hour', '{}' from generate_series(1, $3) n`,
      [tenant, new Date(start), count],
    );
  }

  async function insert(rows: readonly Row[]): Promise<void> {
    await fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
       select d.id, $1, d."webhookId", d.sequence, d.type, d.status, d."isRetry"
         from jsonb_to_recordset($2) as d (id uuid, "webhookId" uuid, sequence bigint, type text, status text, "isRetry" boolean)`,
      [tenant, JSON.stringify(rows)],
    );
  }

  const list = (query: DeliveryQuery, examineLimit?: number) =>
    own.database.transaction(tenant, (tx) => listDeliveries(tx, query, examineLimit));

  /** Reads all pages to the end of the list. */
  async function walk(query: DeliveryQuery, examineLimit?: number): Promise<string[]> {
    const ids: string[] = [];
    for (let { after } = query; ; ) {
      const { rows, next } = await list({ ...query, after }, examineLimit);
      expect(rows.length).toBeLessThanOrEqual(query.limit);
      ids.push(...rows.map(({ id }) => id));
      if (!next) return ids;
      after = next;
    }
  }

  function expected(rows: readonly Row[], { webhookId, status, eventType, since, until }: DeliveryQuery): string[] {
    return rows
      .filter(
        (row) =>
          (!webhookId || row.webhookId === webhookId) &&
          (!status || row.status === status) &&
          (!eventType || row.type === eventType) &&
          (!since || occurred(row.sequence) >= since) &&
          (!until || occurred(row.sequence) < until),
      )
      .sort((a, b) => b.sequence - a.sequence || (a.webhookId < b.webhookId ? 1 : -1))
      .map(({ id }) => id);
  }

  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

  describe('the list of deliveries', () => {
    it('has every matching delivery once, the newest first, for any page size and examination limit', async () => {
      const webhooks = [await webhook(), await webhook(), await webhook(), await webhook()];
      await happened(60);
      const made = fc.sample(
        fc.tuple(
          fc.constantFrom<Row['status']>('pending', 'delivered', 'dead'),
          fc.boolean(),
          fc.constantFrom(...types),
        ),
        { numRuns: 240, seed: 1 },
      );
      const rows = made.flatMap(([status, isRetry, type], place): Row[] => {
        const at = place % 4;
        const sequence = 1 + Math.floor(place / 4);
        // The first webhook has all events, the second only few, the last none.
        if (at === 3 || (at === 1 && sequence % 20 !== 0) || (at === 2 && sequence > 30)) return [];
        return [{ id: newUuid(), webhookId: webhooks[at] ?? '', sequence, status, isRetry, type }];
      });
      await insert(rows);
      const query = fc.record({
        webhookId: optional(fc.constantFrom(...webhooks)),
        status: optional(fc.constantFrom<Row['status']>('pending', 'delivered', 'dead')),
        eventType: optional(fc.constantFrom(...types, 'user.deleted')),
        since: optional(fc.integer({ min: 0, max: 61 }).map(occurred)),
        until: optional(fc.integer({ min: 0, max: 61 }).map(occurred)),
        limit: fc.integer({ min: 1, max: 70 }),
      });
      await fc.assert(
        fc.asyncProperty(query, fc.integer({ min: 1, max: 200 }), async (wanted, examineLimit) => {
          expect(await walk(wanted, examineLimit)).toEqual(expected(rows, wanted));
        }),
        { numRuns: 150 },
      );
    });

    it('examines only deliveries of the requested time range', async () => {
      const webhookId = await webhook();
      await happened(60);
      const rows = Array.from(
        { length: 60 },
        (_, at): Row => ({
          id: newUuid(),
          webhookId,
          sequence: at + 1,
          status: 'delivered',
          isRetry: false,
          type: 'user.created',
        }),
      );
      await insert(rows);
      for (const query of [
        { until: occurred(6), limit: 10 },
        { since: occurred(56), limit: 10 },
      ]) {
        const page = await list(query, 10);
        expect(page.rows.map(({ id }) => id)).toEqual(expected(rows, query));
        expect(page.next).toBeUndefined();
      }
    });

    it('excludes other tenants, and deleted webhooks unless requested by id', async () => {
      const gone = await webhook();
      const row: Row = {
        id: newUuid(),
        webhookId: gone,
        sequence: 1,
        status: 'dead',
        isRetry: true,
        type: 'user.created',
      };
      await insert([row]);
      await fixture.rows('delete from webhooks where id = $1', [gone]);
      expect(await walk({ limit: 10 })).toEqual([]);
      expect(await walk({ limit: 10, webhookId: gone })).toEqual([row.id]);
      const stranger = await fixture.tenant();
      const seen = await own.database.transaction(stranger, async (tx) => ({
        list: await listDeliveries(tx, { limit: 10, webhookId: gone }),
        one: await findDelivery(tx, row.id),
      }));
      expect(seen).toEqual({ list: { rows: [] }, one: undefined });
    });
  });

  describe('the list of tens of thousands of deliveries', () => {
    const count = 30_000;
    let busy: string;

    beforeEach(async () => {
      busy = await webhook();
      await webhook();
      await fixture.rows(
        `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
         select gen_random_uuid(), $1, $2, n, 'user.created', case when n in (5, 6) then 'dead' when n in (7, 8) then 'pending' else 'delivered' end,
                n % 2 = 0 from generate_series(1, $3) n`,
        [tenant, busy, count],
      );
    });

    /** Number of table rows that PostgreSQL fetches for the query. */
    async function fetched(query: Omit<DeliveryQuery, 'limit'>): Promise<{ found: number; fetched: number }> {
      return own.database.transaction(tenant, async (tx) => {
        const before = await rowsFetched(tx, 'webhook_deliveries');
        const { rows } = await listDeliveries(tx, { ...query, limit: 50 }, 1_000);
        return { found: rows.length, fetched: (await rowsFetched(tx, 'webhook_deliveries')) - before };
      });
    }

    it.each([
      ['the newest', {}, 50, 160],
      ['dead ones, which are few and old', { status: 'dead' as const }, 2, 10],
      ['pending ones, first attempts and retries', { status: 'pending' as const }, 2, 10],
      ['ones of a type that there is none of', { eventType: 'user.deleted' }, 0, 2_500],
    ])('finds %s without reading the rest', async (_, query, found, most) => {
      for (const webhookId of [undefined, busy]) {
        const seen = await fetched({ ...query, webhookId });
        expect(seen.found).toBe(found);
        expect(seen.fetched).toBeLessThanOrEqual(most);
      }
    });
  });
});
