import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findActivity } from './activity.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
});

afterAll(() => own?.close());

it('counts the events and attempts of the last 24 hours by hour, up to a limit', async () => {
  const { fixture } = own;
  const tenant = await fixture.tenant();
  await fixture.rows(
    `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     select $1, n, gen_random_uuid(), 'user.created', now() - (4 - n) * interval '20 hours', '{}' from generate_series(1, 4) n`,
    [tenant],
  );
  const [webhook, delivery] = [newUuid(), newUuid()];
  await fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
    [webhook, tenant],
  );
  await fixture.rows(
    `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
     values ($1, $2, $3, 1, 'user.created', 'pending', true)`,
    [delivery, tenant, webhook],
  );
  await fixture.rows(
    `insert into webhook_attempts (tenant_id, delivery_id, webhook_id, number, started_at, outcome)
     values ($1, $2, $3, 1, now(), 'rejected'), ($1, $2, $3, 2, now(), 'delivered')`,
    [tenant, delivery, webhook],
  );
  const find = (limit?: number) => own.database.transaction(tenant, (tx) => findActivity(tx, tenant, limit));
  const { hours, complete } = await find();
  expect([hours.length, hours.reduce((sum, { events }) => sum + events, 0), complete]).toEqual([24, 2, true]);
  expect(hours.at(-1)).toMatchObject({ events: 1, delivered: 1, failed: 1 });
  expect((await find(1)).complete).toBe(false);
});
