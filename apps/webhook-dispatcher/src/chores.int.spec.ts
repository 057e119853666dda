import { type Message, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { lockReplay, unansweredReplays } from '@idsync/database/delivery';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { republishReplays } from './housekeeping.service.js';
import { replayPart } from './replay.js';

const quarterOfAnHour = 15 * 60_000;

let own: ServiceDatabase;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('webhook-dispatcher');
});

beforeEach(async () => {
  await own.fixture.rows('delete from webhook_replays');
  await own.fixture.rows('delete from outbox');
  tenant = await own.fixture.tenant();
});

afterAll(() => own?.close());

/** Creates a replay whose last request is this old. */
async function createReplay(minutesAgo: number, { status = 'queued', webhook = newUuid() } = {}): Promise<string> {
  const id = newUuid();
  await own.fixture.rows(
    `insert into webhook_replays (id, tenant_id, webhook_id, kind, filter, requested_by, status, announced_at)
     values ($1, $2, $3, 'replay', '{}', 'me', $4, now() - $5 * interval '1 minute')`,
    [id, tenant, webhook, status, minutesAgo],
  );
  return id;
}

/** Creates a webhook with the filter `*`, and events that occurred before. */
async function webhookAfter(events: number): Promise<string> {
  const id = newUuid();
  await own.fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'http://127.0.0.1:1/', '{*}')`,
    [id, tenant],
  );
  await own.fixture.rows('update event_sequences set last = $2 where tenant_id = $1', [tenant, events]);
  await own.fixture.rows(
    `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     select $1, n, gen_random_uuid(), 'user.created', now(), '{}' from generate_series(1, $2) as n`,
    [tenant, events],
  );
  return id;
}

async function republished(): Promise<Message<'webhook.replay.requested'>[]> {
  const rows = await own.fixture.rows<{ message: string }>(
    `delete from outbox where type = 'webhook.replay.requested' returning message`,
  );
  return rows.map(({ message }) => JSON.parse(message));
}

const idsOf = (messages: Message<'webhook.replay.requested'>[]) => messages.map(({ data }) => data.replay_id).sort();
const runOnce = (database = own.database) => republishReplays(database, quarterOfAnHour);

describe('republishing replays without progress', () => {
  it('republishes each unfinished replay once after a quarter of an hour', async () => {
    const lost = [await createReplay(16), await createReplay(16, { status: 'running' })];
    await createReplay(14);
    await createReplay(16, { status: 'done' });
    await createReplay(16, { status: 'cancelled' });
    expect(await runOnce()).toBe(2);
    expect(idsOf(await republished())).toEqual(lost.sort());
    expect(await runOnce()).toBe(0);
  });

  it('republishes those that have waited longest if there are more than a batch', async () => {
    const newer = await createReplay(16);
    const older = await Promise.all(Array.from({ length: 100 }, (_, n) => createReplay(17 + n)));
    expect(await runOnce()).toBe(100);
    expect(idsOf(await republished())).toEqual(older.sort());
    expect(await runOnce()).toBe(1);
    expect(idsOf(await republished())).toEqual([newer]);
  });

  it('does not republish a replay that is making progress', async () => {
    const id = await createReplay(16, { webhook: await webhookAfter(1_200) });
    await replayPart(own.database, { id: newUuid(), tenant_id: tenant, data: { replay_id: id } });
    expect(await runOnce()).toBe(0);
  });

  it('continues from the stored position and creates each delivery once, even if the lost message arrives later', async () => {
    const webhook = await webhookAfter(1_200);
    const id = await createReplay(16, { webhook });
    await replayPart(own.database, { id: newUuid(), tenant_id: tenant, data: { replay_id: id } });
    const late = await republished();
    await own.fixture.rows(`update webhook_replays set announced_at = now() - interval '1 hour' where id = $1`, [id]);
    expect(await runOnce()).toBe(1);
    for (let messages = [...late, ...(await republished())]; messages.length > 0; messages = await republished()) {
      await Promise.all(messages.map((message) => replayPart(own.database, message)));
    }
    const [replay] = await own.fixture.rows(
      'select status, looked_at::int as looked, done::int from webhook_replays where id = $1',
      [id],
    );
    expect(replay).toEqual({ status: 'done', looked: 1_200, done: 1_200 });
    const made = await own.fixture.rows('select 1 from webhook_deliveries where webhook_id = $1', [webhook]);
    expect(made).toHaveLength(1_200);
  });

  it('skips a replay while one of its chunks is being processed', async () => {
    const id = await createReplay(16);
    await own.database.transaction(tenant, async (tx) => {
      await lockReplay(tx, id);
      expect(await runOnce()).toBe(0);
    });
    expect(await runOnce()).toBe(1);
  });

  it('publishes each replay once when two processes republish concurrently', async () => {
    const lost = await Promise.all(Array.from({ length: 150 }, () => createReplay(16)));
    const other = await Database.connect({ url: own.url, service: 'webhook-dispatcher' });
    try {
      for (let found = 1; found > 0; ) {
        const both = await Promise.all([runOnce(), runOnce(other)]);
        found = both[0] + both[1];
      }
    } finally {
      await other.close();
    }
    expect(idsOf(await republished())).toEqual(lost.sort());
  });

  it('republishes on the next run if a process is killed during one', async () => {
    const lost = await createReplay(16);
    const killed = own.database.transaction(tenant, async (tx) => {
      const { take } = unansweredReplays(quarterOfAnHour, 1);
      expect(await take(tx, [{ id: lost, tenantId: tenant }])).toEqual([{ id: lost }]);
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await own.fixture.rows('select pg_terminate_backend($1)', [backend?.pid]);
      await tx.query('select 1');
    });
    await expect(killed).rejects.toThrow(/terminating|connection error/);
    expect(await republished()).toEqual([]);
    expect(await runOnce()).toBe(1);
    expect(idsOf(await republished())).toEqual([lost]);
  });
});
