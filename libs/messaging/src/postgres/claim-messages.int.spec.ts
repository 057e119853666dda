import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { claimMessages } from './claim-messages.js';
import { giveUp } from './settle-message.js';

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

/** Messages of these keys, numbered from 1. */
async function queued(...keys: string[]): Promise<void> {
  await fixture.rows(
    `insert into bus_messages (queue, type, ordering_key, message)
     select 'q', 't', key, '{}' from unnest($1::text[]) with ordinality as k (key, place) order by place`,
    [keys],
  );
}

async function claimed(limit = 10, token = newUuid()): Promise<number[]> {
  const messages = await claimMessages(database, { queue: 'q', ordered: true, limit, token });
  return messages.map(({ id }) => id);
}

describe('an ordered queue', () => {
  it('gives the oldest message of each key, and the next one when that is gone', async () => {
    await queued('a', 'b', 'a', 'b', 'c');
    expect(await claimed()).toEqual([1, 2, 5]);
    expect(await claimed()).toEqual([]);
    await fixture.rows('delete from bus_messages where id = 2');
    expect(await claimed()).toEqual([4]);
  });

  it('gives no more than it is asked for, those first that wait longest', async () => {
    await queued('c', 'b', 'a');
    expect(await claimed(2)).toEqual([1, 2]);
    expect(await claimed(2)).toEqual([3]);
  });

  it('keeps a key waiting behind a message that is to be tried later, and passes a dead one over', async () => {
    await queued('a', 'a', 'b');
    const token = newUuid();
    expect(await claimed(10, token)).toEqual([1, 3]);
    await giveUp(database, { id: 1, token }, 'no use');
    await fixture.rows(`update bus_messages set available_at = now() + interval '1 hour' where id = 2`);
    expect(await claimed()).toEqual([]);
    await fixture.rows('update bus_messages set available_at = now() where id = 2');
    expect(await claimed()).toEqual([2]);
  });

  it('gives each message to one of many that claim at once', async () => {
    await queued(...Array.from({ length: 60 }, (_, index) => `key ${index % 30}`));
    const all = (await Promise.all(Array.from({ length: 6 }, () => claimed()))).flat();
    expect(new Set(all).size).toBe(all.length);
    const rest = await claimed(100);
    expect([...all, ...rest].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});
