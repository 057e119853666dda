import { setTimeout, setImmediate as turn } from 'node:timers/promises';
import { newUuid } from '@idsync/contracts';
import {
  createTestDatabase,
  DirectoryFixture,
  LatePort,
  PrivatePostgres,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, type Transaction } from './database.js';
import { asTenant } from './transaction-settings.js';

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

describe('connections that PostgreSQL closes', () => {
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
          // `served += await …` would read the count before the wait and lose concurrent additions.
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
          await until(() => served >= goal, 'work that is served after a cut', 30_000);
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

describe('a service that starts', () => {
  it('waits for a PostgreSQL that is not available yet', async () => {
    const port = await LatePort.reserve(testDatabase.url);
    const connecting = Database.connect({ url: port.url, service: 'gateway' });
    await setTimeout(300);
    await port.open();
    const connected = await connecting;
    await connected.ping();
    await connected.close();
    await port.close();
  });

  it('connects again if PostgreSQL drops its connections meanwhile', async () => {
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`;
    let cuts = 0;
    const cutting = until(async () => {
      cuts += (await fixture.rows(cut)).length;
      return cuts >= 10;
    }, 'connections to cut');
    const connections = Array.from({ length: 10 }, () =>
      Database.connect({ url: testDatabase.url, service: 'gateway' }),
    );
    await cutting;
    for (const connected of await Promise.all(connections)) {
      await connected.ping();
      await connected.close();
    }
  });
});

describe('a statement behind one that fails', () => {
  it('fails with the same error, so that the cause decides what follows', async () => {
    const outcomes = await database
      .withoutTenant(async (tx) => {
        const sent = [tx.query('select 1 / 0'), tx.query('select 2')];
        const ended = await Promise.allSettled(sent);
        throw Object.assign(new Error(), { ended });
      })
      .catch(({ ended }) => ended);
    expect(outcomes).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
      { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
    ]);
  });

  it('fails with its own error after a savepoint has undone the first', async () => {
    const failure = database.withoutTenant(async (tx) => {
      await expect(tx.attempt(() => tx.query('select 1 / 0'))).rejects.toMatchObject({ code: '22012' });
      await Promise.all([tx.query('select from nowhere'), tx.query('select 1')]);
    });
    await expect(failure).rejects.toMatchObject({ code: '42P01' });
  });
});

describe('a transaction with a statement that failed', () => {
  it('fails even if its work has ignored the error, because PostgreSQL commits nothing', async () => {
    const committed: string[] = [];
    const ignoring = database.withoutTenant(async (tx) => {
      tx.afterCommit(() => committed.push('notified'));
      await tx.query('select from nowhere').catch(() => undefined);
    });
    await expect(ignoring).rejects.toMatchObject({ code: '42P01' });
    expect(committed).toEqual([]);
  });
});

describe('a transaction that has ended', () => {
  it('runs no further statement, because its connection may serve another tenant', async () => {
    const ended = await database.transaction(newUuid(), async (tx) => tx);
    await expect(ended.query('select 1')).rejects.toThrow('the transaction has ended');
    await expect(ended.attempt(async () => undefined)).rejects.toThrow('the transaction has ended');
    await expect(ended.rolledBack(async () => undefined)).rejects.toThrow('the transaction has ended');
    const failing = database.transaction(newUuid(), async (tx) => {
      throw Object.assign(new Error('failed'), { tx });
    });
    const { tx } = await failing.catch((error: Error & { tx: Transaction }) => error);
    await expect(tx.count('select 1 as count')).rejects.toThrow('the transaction has ended');
  });

  it('has ended as soon as its work has, before the commit is answered', async () => {
    let late: Promise<unknown> | undefined;
    await database.transaction(newUuid(), async (tx) => {
      await tx.query('select 1');
      // Runs after the work, while the commit is on its way.
      void turn().then(() => {
        late = tx.query('select 1').catch((error: Error) => error.message);
      });
    });
    await turn();
    expect(await late).toContain('the transaction has ended');
  });
});

describe('a transaction that reads', () => {
  it('sees one state in all of its statements', async () => {
    const tenantId = await fixture.tenant();
    const count = (tx: Transaction) => tx.query('select count(*) from connectors');
    const [first, second] = await database.readTransaction(tenantId, async (tx) => {
      const before = await count(tx);
      await fixture.connector(tenantId);
      return [before, await count(tx)];
    });
    expect(second).toEqual(first);
    expect(await database.readTransaction(tenantId, count)).toEqual([{ count: 1 }]);
  });
});

describe('ping', () => {
  let narrow: Database;
  const aMinute = 60_000;

  beforeAll(async () => {
    narrow = await Database.connect({ url: testDatabase.url, service: 'gateway', poolSize: 1 });
  });
  afterAll(() => narrow?.close());

  it('sends no query if the database has just answered another one and every connection is in use', async () => {
    await narrow.withoutTenant(async () => {
      const first = narrow.ping(aMinute).then(() => 'answered');
      expect(await Promise.race([first, turn('waits')])).toBe('waits');
      first.catch(() => undefined);
    });
    await narrow.withoutTenant(async () => {
      await narrow.ping(aMinute);
    });
  });

  it('fails if PostgreSQL no longer answers', async () => {
    const server = await PrivatePostgres.start();
    const cut = await Database.connect({ url: server.url, service: 'gateway' });
    await cut.ping();
    await server.remove();
    await expect(cut.ping(0)).rejects.toThrow();
    await cut.close();
  });
});

describe('a PostgreSQL that is frozen', () => {
  it('fails pending queries, does not delay shutdown, and is used again after it resumes', async () => {
    const port = await LatePort.reserve(testDatabase.url);
    await port.open();
    const frozen = await Database.connect({ url: port.url, service: 'gateway', statementTimeoutMs: 100, poolSize: 2 });
    const work = [
      () => frozen.withoutTenant((tx) => tx.query('select 1')),
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

describe('a half-open connection, which accepts all bytes and answers nothing', () => {
  it('is closed at its next use, even if the statement timeout is minutes', async () => {
    const port = await LatePort.reserve(testDatabase.url);
    await port.open();
    const worker = await Database.connect({ url: port.url, service: 'sync-worker', poolSize: 1 });
    const work = () => worker.transaction(newUuid(), (tx) => tx.query('select 1'));
    await work();
    port.freeze();
    await expect(work()).rejects.toThrow('Query read timeout');
    await port.close();
    await port.open();
    await work();
    await worker.close();
    await port.close();
  }, 60_000);

  it('is closed by PostgreSQL within a minute after its host is lost', async () => {
    const rows = await database.withoutTenant((tx) =>
      tx.query<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name like 'tcp_%' order by name`,
      ),
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      tcp_keepalives_count: '3',
      tcp_keepalives_idle: '30',
      tcp_keepalives_interval: '10',
      tcp_user_timeout: '60000',
    });
  });
});

describe('a transaction', () => {
  it('works on the rows of another tenant for a part, and afterwards on those of its tenant', async () => {
    const [own, other] = [await fixture.tenant(), await fixture.tenant()];
    const visible = async (tx: Transaction) =>
      (await tx.query<{ id: string }>('select id from tenants where id = any($1)', [[own, other]])).map(({ id }) => id);
    const seen = await database.transaction(own, async (tx) => [
      await visible(tx),
      await asTenant(tx, other, visible),
      await visible(tx),
    ]);
    expect(seen).toEqual([[own], [other], [own]]);
    await expect(database.transaction(own, (tx) => asTenant(tx, 'x', visible))).rejects.toThrow(TypeError);
  });
});

describe('listening', () => {
  const backends = () =>
    fixture.rows<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and query ~ '^listen'`,
    );

  /** Notes what it hears of a channel; `heard` resolves at the next notice. */
  function listener(channel: string) {
    const notices: string[] = [];
    let heard = () => {};
    const note = (notice: string) => {
      notices.push(notice);
      heard();
    };
    const stop = database.listen(channel, note, () => note('listening'));
    const next = () =>
      new Promise<void>((resolve) => {
        heard = resolve;
      });
    return { notices, stop, next };
  }

  it('to several channels takes one connection, which is opened again when it is lost', async () => {
    const first = listener('first');
    await first.next();
    const second = listener('second');
    await second.next();
    const [backend, ...others] = await backends();
    expect(others).toEqual([]);
    const again = Promise.all([first.next(), second.next()]);
    await fixture.rows('select pg_terminate_backend($1)', [backend?.pid]);
    await again;
    const heard = Promise.all([first.next(), second.next()]);
    await fixture.rows(`select pg_notify('first', 'a'), pg_notify('second', 'b')`);
    await heard;
    expect(first.notices).toEqual(['listening', 'listening', 'a']);
    expect(second.notices).toEqual(['listening', 'listening', 'b']);
    await first.stop();
    const last = second.next();
    await fixture.rows(`select pg_notify('first', 'c'), pg_notify('second', 'd')`);
    await last;
    await second.stop();
    expect(first.notices).not.toContain('c');
  });

  it('leaves no channel on its connection', async () => {
    const alone = listener('alone');
    await alone.next();
    const [backend] = await backends();
    await alone.stop();
    const channels = await database.withoutTenant((tx) =>
      tx.query('select pg_backend_pid() as pid, array(select pg_listening_channels()) as channels'),
    );
    expect(channels).toEqual([{ pid: backend?.pid, channels: [] }]);
  });

  it('ends while it connects', async () => {
    const early = listener('early');
    await early.stop();
    expect(await backends()).toEqual([]);
  });
});
