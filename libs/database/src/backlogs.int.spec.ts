import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../test/rows-fetched.js';
import { Database } from './database.js';
import { outboxBacklog, queueBacklogs } from './outbox.js';

const many = 20_000;
/** What is counted at the most, and a page of an index more. */
const fewRows = 1_500;

describe('the backlog of a service', () => {
  let database: TestDatabase;
  let directory: Database;
  let rows: DirectoryFixture;

  beforeAll(async () => {
    database = await createTestDatabase();
    rows = DirectoryFixture.connect(database.url);
    directory = await Database.connect({ url: database.url, service: 'directory' });
    await rows.rows(
      `insert into outbox (producer, message_id, type, message, created_at)
       select 'idsync_directory', gen_random_uuid(), 'facts.recorded', '{}', now() - interval '1 hour' from generate_series(1, $1)`,
      [many],
    );
    await rows.rows(
      `insert into bus_messages (queue, type, message, available_at, dead_at)
       select 'directory.batches', 'sync.batch.ready', '{}', now() - interval '1 minute', case when n > $1 then now() end
         from generate_series(1, $1 + 3) as n`,
      [many],
    );
    await rows.rows('analyze outbox, bus_messages');
  });

  afterAll(async () => {
    await directory?.close();
    await rows?.close();
    await database?.drop();
  });

  it('tells how old the oldest message of an outbox is, and looks at few of very many', async () => {
    const { found, fetched } = await directory.transaction(undefined, async (tx) => {
      const before = await rowsFetched(tx, 'outbox');
      const found = await outboxBacklog(tx);
      return { found, fetched: (await rowsFetched(tx, 'outbox')) - before };
    });
    expect(found.seconds).toBeGreaterThan(3_599);
    expect(found.count).toBe(1_000);
    expect(fetched).toBeLessThan(fewRows);
  });

  it('tells how long queues of rows have been waiting, and what was given up', async () => {
    const { found, fetched } = await directory.transaction(undefined, async (tx) => {
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

  it('runs what follows a commit after it, and nothing after a rollback', async () => {
    const ran: string[] = [];
    await directory.transaction(undefined, async (tx) => tx.afterCommit(() => ran.push('committed')));
    const failed = directory.transaction(undefined, async (tx) => {
      tx.afterCommit(() => ran.push('rolled back'));
      await tx.query('select 1 / 0');
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(ran).toEqual(['committed']);
  });
});
