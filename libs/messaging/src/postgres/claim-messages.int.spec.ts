import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forwardOutbox } from './forward-outbox.js';
import { acknowledge, claimMessages, extendLease, giveUp, retryLater } from './messages.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  own = await ServiceDatabase.start('webhook-dispatcher');
  ({ database, fixture } = own);
});

beforeEach(async () => {
  await fixture.rows('truncate bus_messages restart identity');
});

afterAll(async () => {
  await own?.close();
});

async function queued(count: number): Promise<void> {
  await fixture.rows(
    `insert into bus_messages (queue, type, message) select 'q', 't', '{}' from generate_series(1, $1::int)`,
    [count],
  );
}

async function claimed(limit = 10, token = newUuid()): Promise<number[]> {
  const messages = await claimMessages(database, { queue: 'q', limit, token });
  return messages.map(({ id }) => id);
}

describe('a PostgreSQL queue', () => {
  it('returns at most the requested number of messages, oldest first', async () => {
    await queued(3);
    expect(await claimed(2)).toEqual([1, 2]);
    expect(await claimed(2)).toEqual([3]);
  });

  it('skips dead messages and those not yet due', async () => {
    await queued(3);
    const token = newUuid();
    expect(await claimed(1, token)).toEqual([1]);
    await giveUp(database, { id: 1, token }, 'no use');
    await fixture.rows(`update bus_messages set available_at = now() + interval '1 hour' where id = 2`);
    expect(await claimed()).toEqual([3]);
    await fixture.rows('update bus_messages set available_at = now() where id = 2');
    expect(await claimed()).toEqual([2]);
  });

  it('returns the claimed messages in their order, whatever order PostgreSQL updated them in', async () => {
    await queued(5);
    await fixture.rows('update bus_messages set available_at = now() - make_interval(secs => id) where id > 2');
    expect(await claimed()).toEqual([1, 2, 3, 4, 5]);
  });

  it('is settled and extended only by the last claim of a message', async () => {
    await queued(1);
    const [earlier, token] = [newUuid(), newUuid()];
    await claimed(1, earlier);
    await fixture.rows('update bus_messages set available_at = now()');
    await claimed(1, token);
    const state = () => fixture.rows('select id, lease_token, available_at, dead_at from bus_messages');
    const before = await state();
    const stale = { id: 1, token: earlier };
    await acknowledge(database, stale);
    await retryLater(database, stale, { pauseMs: 60_000, attempts: 9 });
    await giveUp(database, stale, 'no use');
    await extendLease(database, [stale]);
    expect(await state()).toEqual(before);
    await retryLater(database, { id: 1, token }, { pauseMs: 0, attempts: 1 });
    expect(await claimed(1, token)).toEqual([1]);
    await acknowledge(database, { id: 1, token });
    expect(await state()).toEqual([]);
  });

  it('leaves messages of unknown types to processes of the version that knows them', async () => {
    await fixture.rows(
      `insert into outbox (producer, message_id, type, message)
       select 'idsync_webhook_dispatcher', gen_random_uuid(), type, '{}' from unnest('{from.the.future,sync.job.ended}'::text[]) as type`,
    );
    expect(await forwardOutbox(database)).toBe(1);
    expect(await fixture.rows('select type from outbox')).toEqual([{ type: 'from.the.future' }]);
    await fixture.rows('delete from outbox');
  });

  it('gives each message to only one of several concurrent claims', async () => {
    await queued(60);
    const all = (await Promise.all(Array.from({ length: 6 }, () => claimed()))).flat();
    expect(new Set(all).size).toBe(all.length);
    const rest = await claimed(100);
    expect([...all, ...rest].sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });
});
