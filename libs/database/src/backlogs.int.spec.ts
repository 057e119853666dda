import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../test/rows-fetched.js';
import { outboxBacklog, queueBacklogs } from './bus/outbox.js';
import { Database, type Transaction } from './database.js';

const many = 20_000;
/** The count limit, plus one index page. */
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
       select 'idsync_directory', gen_random_uuid(), 'sync.job.ended', '{}', now() - interval '1 hour' from generate_series(1, $1)`,
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

  it('reports the age of the oldest outbox message and reads a bounded number of rows', async () => {
    const { found, fetched } = await directory.withoutTenant(async (tx) => {
      const before = await rowsFetched(tx, 'outbox');
      const found = await outboxBacklog(tx);
      return { found, fetched: (await rowsFetched(tx, 'outbox')) - before };
    });
    expect(found.seconds).toBeGreaterThan(3_599);
    expect(found.count).toBe(1_000);
    expect(fetched).toBeLessThan(fewRows);
  });

  it('reports the age of queued messages and the number of dead ones', async () => {
    const { found, fetched } = await directory.withoutTenant(async (tx) => {
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

  it('runs afterCommit callbacks after a commit and not after a rollback', async () => {
    const ran: string[] = [];
    await directory.withoutTenant(async (tx) => tx.afterCommit(() => ran.push('committed')));
    const failed = directory.withoutTenant(async (tx) => {
      tx.afterCommit(() => ran.push('rolled back'));
      await tx.query('select 1 / 0');
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(ran).toEqual(['committed']);
  });

  it('rolls back a part of a transaction with its afterCommit callbacks, and returns its result', async () => {
    const ran: string[] = [];
    const found = await directory.withoutTenant(async (tx) => {
      tx.afterCommit(() => ran.push('before'));
      const inside = await tx.rolledBack(async () => {
        tx.afterCommit(() => ran.push('rolled back'));
        await tx.query(`set local application_name = 'inside'`);
        return tx.query('show application_name');
      });
      tx.afterCommit(() => ran.push('after'));
      return [inside, await tx.query('show application_name')];
    });
    expect(found[0]).toEqual([{ application_name: 'inside' }]);
    expect(found[1]).not.toEqual(found[0]);
    expect(ran).toEqual(['before', 'after']);
  });

  it('rolls back a failed part of a transaction with its afterCommit callbacks, and commits the others', async () => {
    const ran: string[] = [];
    const part = (tx: Transaction, name: string, sql: string) =>
      tx.attempt(async () => {
        tx.afterCommit(() => ran.push(name));
        await tx.query(`set local application_name = '${name}'`);
        await tx.query(sql);
        return name;
      });
    const found = await directory.withoutTenant(async (tx) => {
      const first = await part(tx, 'first', 'select 1');
      await expect(part(tx, 'second', 'select 1 / 0')).rejects.toThrow('division by zero');
      const left = await tx.query('show application_name');
      return [first, left, await part(tx, 'third', 'select 1')];
    });
    expect(found).toEqual(['first', [{ application_name: 'first' }], 'third']);
    expect(ran).toEqual(['first', 'third']);
  });
});
