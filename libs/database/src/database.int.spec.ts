import { setImmediate as turn } from 'node:timers/promises';
import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, LatePort, PrivatePostgres, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from './database.js';

let testDatabase: TestDatabase;
let database: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  fixture = DirectoryFixture.connect(testDatabase.url);
});

afterAll(async () => {
  await fixture?.close();
  await database?.close();
  await testDatabase?.drop();
});

describe('connections that PostgreSQL ends', () => {
  const tenantId = newUuid();
  const count = 'select count(*) from identities';

  it.each([
    ['a read', () => database.read(tenantId, { name: 'count', text: count, values: [] })],
    ['a transaction', () => database.transaction(tenantId, (tx) => tx.query(count))],
  ])(
    'fail %s and nothing else: the next one is served',
    async (_what, work) => {
      const uncaught: unknown[] = [];
      const note = (error: unknown) => uncaught.push(error);
      process.on('uncaughtException', note);
      let over = false;
      let served = 0;
      const asking = Array.from({ length: 8 }, async () => {
        while (!over) {
          // Counted after the wait: `served += await …` would read the count before it and lose the others' additions.
          const answered = await work().then(
            () => true,
            () => false,
          );
          if (answered) served += 1;
          await turn();
        }
      });
      try {
        for (let cut = 0; cut < 20; cut += 1) {
          await fixture.rows(
            `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`,
          );
          const goal = served + 20;
          while (served < goal) await turn();
        }
      } finally {
        over = true;
        await Promise.all(asking);
        process.off('uncaughtException', note);
      }
      expect(uncaught).toEqual([]);
      expect(served).toBeGreaterThanOrEqual(20 * 20);
    },
    60_000,
  );
});

describe('asking whether PostgreSQL is there', () => {
  let narrow: Database;
  const aMinute = 60_000;

  beforeAll(async () => {
    narrow = await Database.connect({ url: testDatabase.url, service: 'gateway', poolSize: 1 });
  });
  afterAll(() => narrow?.close());

  it('asks nothing of a database that has just answered others, though every connection is taken', async () => {
    await narrow.transaction(undefined, async () => {
      const first = narrow.ping(aMinute).then(() => 'answered');
      expect(await Promise.race([first, turn('waits')])).toBe('waits');
      first.catch(() => undefined);
    });
    await narrow.transaction(undefined, async () => {
      await narrow.ping(aMinute);
    });
  });

  it('fails if it does not answer any more', async () => {
    const server = await PrivatePostgres.start();
    const cut = await Database.connect({ url: server.url, service: 'gateway' });
    await cut.ping();
    await server.remove();
    await expect(cut.ping(0)).rejects.toThrow();
    await cut.close();
  });
});

describe('a PostgreSQL that is frozen', () => {
  it('fails who waits for it, is left in time, and serves again when it has come back', async () => {
    const port = await LatePort.reserve(testDatabase.url);
    await port.open();
    const frozen = await Database.connect({ url: port.url, service: 'gateway', statementTimeoutMs: 100, poolSize: 2 });
    const work = [
      () => frozen.transaction(undefined, (tx) => tx.query('select 1')),
      () => frozen.read(newUuid(), { name: 'one', text: 'select 1', values: [] }),
    ];
    await Promise.all(work.map((each) => each()));
    port.freeze();
    const asked = await Promise.allSettled(work.map((each) => each()));
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await port.close();
    await port.open();
    await Promise.all(work.map((each) => each()));
    port.freeze();
    await frozen.close();
    await port.close();
  }, 60_000);
});
