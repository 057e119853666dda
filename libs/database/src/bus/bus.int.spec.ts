import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../test/rows-fetched.js';
import type { Transaction } from '../database.js';
import { postpone, sendPostponed } from './dead-letters.js';
import { outboxBacklog, queueBacklogs } from './outbox.js';
import { assignTime, confirmTime, listenToEvents, proposeTime, recordEvents } from './record-events.js';

let own: ServiceDatabase;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
});

beforeEach(async () => {
  tenant = await own.fixture.tenant();
});

afterAll(async () => {
  await own?.close();
});

const assign = () => own.database.transaction(tenant, (tx) => assignTime(tx));
const created = { type: 'identity.created' as const, details: {} };

/** Holds a transaction open after `work`; `end` commits it. */
async function hold<Result>(work: (tx: Transaction) => Promise<Result>) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let ready: (result: Result) => void = () => {};
  const result = new Promise<Result>((resolve) => {
    ready = resolve;
  });
  const committed = own.database.transaction(tenant, async (tx) => {
    ready(await work(tx));
    await ended;
  });
  return { result: await result, committed, end };
}

describe('the time of a change', () => {
  it('is after the time of a transaction that holds the sequence, for which it waits', async () => {
    const first = await hold((tx) => assignTime(tx));
    const second = assign();
    await own.fixture.waitForBlockedLock();
    first.end();
    await first.committed;
    expect((await second).getTime()).toBeGreaterThan(first.result.getTime());
  });

  it('is a millisecond after the last time if the clock was set back', async () => {
    const ahead = new Date('2200-01-01T00:00:00.000Z');
    await own.database.transaction(tenant, (tx) => assignTime(tx, ahead));
    expect(await assign()).toEqual(new Date('2200-01-01T00:00:00.001Z'));
  });

  it('has whole milliseconds, as the API shows it', async () => {
    await assign();
    const [row] = await own.fixture.rows<{ micros: number }>(
      `select extract(microseconds from last_at)::int % 1000 as micros from event_sequences where tenant_id = $1`,
      [tenant],
    );
    expect(row?.micros).toBe(0);
  });
});

describe('a proposed time', () => {
  const lastTime = async () => {
    const [row] = await own.fixture.rows<{ at: Date }>(
      'select last_at as at from event_sequences where tenant_id = $1',
      [tenant],
    );
    return row?.at;
  };

  it('is confirmed after a change that holds the sequence and has an earlier time', async () => {
    const first = await hold((tx) => assignTime(tx));
    const at = new Date(first.result.getTime() + 1);
    const confirmed = own.database.transaction(tenant, (tx) => confirmTime(tx, at));
    await own.fixture.waitForBlockedLock();
    first.end();
    await first.committed;
    expect(await confirmed).toBe(true);
    expect(await lastTime()).toEqual(at);
  });

  it('is refused if another change has the same time', async () => {
    const confirmed = await own.database.transaction(tenant, async (tx) => {
      const at = await proposeTime(tx);
      await own.database.transaction(tenant, (other) => assignTime(other, at));
      return confirmTime(tx, at);
    });
    expect(confirmed).toBe(false);
  });

  it('is refused after it has waited for a change with a later time', async () => {
    let at = new Date(0);
    const later = await hold(async (tx) => {
      at = await proposeTime(tx);
      return assignTime(tx, new Date(at.getTime() + 1));
    });
    const confirmed = own.database.transaction(tenant, (tx) => confirmTime(tx, at));
    await own.fixture.waitForBlockedLock();
    later.end();
    await later.committed;
    expect(await confirmed).toBe(false);
    expect(await lastTime()).toEqual(later.result);
  });

  it('is a millisecond after the last time if the clock was set back', async () => {
    const ahead = new Date('2200-01-01T00:00:00.000Z');
    await own.database.transaction(tenant, (tx) => assignTime(tx, ahead));
    expect(await own.database.transaction(tenant, (tx) => proposeTime(tx))).toEqual(
      new Date('2200-01-01T00:00:00.001Z'),
    );
  });

  it('locks the sequence until the commit when it is confirmed', async () => {
    const first = await hold(async (tx) => confirmTime(tx, await proposeTime(tx)));
    const second = assign();
    await own.fixture.waitForBlockedLock();
    first.end();
    await first.committed;
    expect(first.result).toBe(true);
    expect((await second).getTime()).toBe((await lastTime())?.getTime());
  });
});

describe('the time of an event', () => {
  it('is assigned in the order of the sequence', async () => {
    const ahead = new Date('2200-01-01T00:00:00.000Z');
    await own.database.transaction(tenant, async (tx) => {
      const occurredAt = await assignTime(tx, ahead);
      await recordEvents(tx, [{ ...created, occurredAt }]);
    });
    await own.database.transaction(tenant, (tx) => recordEvents(tx, [created, created]));
    const times = await own.fixture.rows<{ at: Date }>(
      'select occurred_at as at from events where tenant_id = $1 order by sequence',
      [tenant],
    );
    expect(times.map(({ at }) => at.getTime() - ahead.getTime())).toEqual([0, 1, 1]);
  });
});

describe('a commit of events', () => {
  it('notifies the processes that listen, with the tenant and its last sequence', async () => {
    const notices: [string, number][] = [];
    let noticed = () => {};
    let listening = () => {};
    const began = new Promise<void>((resolve) => {
      listening = resolve;
    });
    const stop = listenToEvents(
      own.database,
      (...notice) => {
        notices.push(notice);
        noticed();
      },
      () => listening(),
    );
    await began;
    const arrived = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    const failing = own.database.transaction(tenant, async (tx) => {
      await recordEvents(tx, [created]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await own.database.transaction(tenant, (tx) => recordEvents(tx, [created, created]));
    await arrived;
    await stop();
    expect(notices).toEqual([[tenant, 2]]);
  });
});

describe('the backlog of a service', () => {
  const many = 20_000;
  /** The count limit, plus one index page. */
  const fewRows = 1_500;

  beforeAll(async () => {
    await own.fixture.rows(
      `insert into outbox (producer, message_id, type, message, created_at)
       select 'idsync_directory', gen_random_uuid(), 'sync.job.ended', '{}', now() - interval '1 hour' from generate_series(1, $1)`,
      [many],
    );
    await own.fixture.rows(
      `insert into bus_messages (queue, type, message, available_at, dead_at)
       select 'directory.batches', 'sync.batch.ready', '{}', now() - interval '1 minute', case when n > $1 then now() end
         from generate_series(1, $1 + 3) as n`,
      [many],
    );
    await own.fixture.rows('analyze outbox, bus_messages');
  });

  it('reports the age of the oldest outbox message and reads a bounded number of rows', async () => {
    const { found, fetched } = await own.database.withoutTenant(async (tx) => {
      const before = await rowsFetched(tx, 'outbox');
      const found = await outboxBacklog(tx);
      return { found, fetched: (await rowsFetched(tx, 'outbox')) - before };
    });
    expect(found.seconds).toBeGreaterThan(3_599);
    expect(found.count).toBe(1_000);
    expect(fetched).toBeLessThan(fewRows);
  });

  it('reports the age of queued messages and the number of dead ones', async () => {
    const { found, fetched } = await own.database.withoutTenant(async (tx) => {
      const before = await rowsFetched(tx, 'bus_messages');
      const found = await queueBacklogs(tx, ['directory.batches', 'directory.sweeps']);
      return { found, fetched: (await rowsFetched(tx, 'bus_messages')) - before };
    });
    expect(found).toEqual([
      { queue: 'directory.batches', seconds: expect.any(Number), count: 1_000, dead: 3 },
      { queue: 'directory.sweeps', seconds: 0, count: 0, dead: 0 },
    ]);
    expect(found[0]?.seconds).toBeGreaterThan(59);
    expect(fetched).toBeLessThan(fewRows);
  });
});

describe('a postponed message', () => {
  const queue = 'directory.batches';
  const letter = { queue, type: 'sync.batch.ready', message: '{}', attempts: 1, reason: 'no connection' };
  const store = (messageId: string | null) =>
    own.database.withoutTenant((tx) => postpone(tx, { ...letter, messageId }, 0));
  const send = () => own.database.withoutTenant((tx) => sendPostponed(tx, [queue], 10));

  beforeEach(async () => {
    await own.fixture.rows('delete from bus_messages');
    await own.fixture.rows('delete from outbox');
  });

  it('is stored once if the broker delivers it again before it is sent', async () => {
    const id = newUuid();
    await Promise.all([store(id), store(id)]);
    await store(id);
    expect(await send()).toBe(1);
    await store(id);
    expect(await send()).toBe(1);
  });

  it('is sent with a new id if it has none, and holds up no others', async () => {
    const id = newUuid();
    await store(null);
    await store(id);
    expect(await send()).toBe(2);
    const sent = await own.fixture.rows<{ id: string }>('select message_id as id from outbox');
    expect(sent).toHaveLength(2);
    expect(sent).toContainEqual({ id });
  });
});
