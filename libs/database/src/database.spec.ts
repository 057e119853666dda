import { describe, expect, it, jest } from '@jest/globals';
import { eachTenant } from './by-tenant.js';
import type { ServiceDataSource } from './data-source.js';
import { Database, onlyIndexScans } from './database.js';
import { connections } from './metrics.js';
import { OftenUsed } from './often-used.js';
import { pipelined } from './pipelined.js';

type Callback = (error: null, result: { rows: [] }) => void;

/** A database that records its statements instead of sending them. */
function recorded(): { database: Database; statements: string[] } {
  const statements: string[] = [];
  const client = {
    query: async (given: string | { text: string }, callback?: Callback) => {
      statements.push(typeof given === 'string' ? given : given.text);
      callback?.(null, { rows: [] });
      return { rows: [] };
    },
  };
  const runner = { connect: async () => client, release: async () => undefined };
  const dataSource = {
    connections: { count: 0 },
    createQueryRunner: () => runner,
    takeClient: async () => [client, () => undefined],
  };
  return { database: new Database(dataSource as unknown as ServiceDataSource, { service: 'directory' }), statements };
}

const id = '01900000-0000-7000-8000-00000000000a';
const query = { name: 'one', text: 'select 1', values: [] };

describe('work after the commit of a transaction', () => {
  it('runs once it is committed, unless the part that registered it was undone', async () => {
    const { database, statements } = recorded();
    const note = (text: string) => () => void statements.push(text);
    await database.transaction(id, async (tx) => {
      tx.afterCommit(note('whole'));
      const part = async () => {
        tx.afterCommit(note('failed'));
        throw new Error('failed part');
      };
      await expect(tx.attempt(part)).rejects.toThrow('failed part');
      await tx.rolledBack(async () => tx.afterCommit(note('trial')));
      await tx.attempt(async () => tx.afterCommit(note('part')));
    });
    expect(statements.slice(1)).toEqual([
      'savepoint attempt',
      'rollback to savepoint attempt; release savepoint attempt',
      'savepoint trial',
      'rollback to savepoint trial; release savepoint trial',
      'savepoint attempt',
      'release savepoint attempt',
      'commit',
      'whole',
      'part',
    ]);
  });

  it('does not run if the transaction fails', async () => {
    const { database, statements } = recorded();
    const work = database.transaction(id, async (tx) => {
      tx.afterCommit(() => void statements.push('work'));
      throw new Error('failed');
    });
    await expect(work).rejects.toThrow('failed');
    expect(statements.slice(1)).toEqual(['rollback']);
  });
});

describe('the tenant of a transaction', () => {
  it('is set before any other statement', async () => {
    const { database, statements } = recorded();
    await database.transaction(id, (tx) => tx.query('select 1'));
    expect(statements).toEqual([`begin; set local idsync.tenant_id = '${id}'`, 'select 1', 'commit']);
  });

  it.each(['read', 'readTexts'] as const)('is set before the statement of a single %s', async (read) => {
    const { database, statements } = recorded();
    await database[read](id, query);
    expect(statements).toEqual([
      `begin read only; ${onlyIndexScans}; set local idsync.tenant_id = '${id}'`,
      'select 1',
      'commit',
    ]);
  });

  it.each(['', 'ten_1', `${id}'; drop table tenants; --`, `${id}\n`, ` ${id}`, id.slice(1), id.toUpperCase()])(
    'must be a uuid, because it becomes part of a statement; %j sends nothing',
    async (tenantId) => {
      const { database, statements } = recorded();
      const work = async () => statements.push('work');
      await expect(database.transaction(tenantId, work)).rejects.toThrow('tenant id is not a uuid');
      for (const single of ['read', 'readTexts', 'write'] as const)
        await expect(database[single](tenantId, query)).rejects.toThrow('tenant id is not a uuid');
      expect(statements).toEqual([]);
    },
  );
});

describe('a database that is closed', () => {
  it('no longer reports its connections', async () => {
    const unwatch = jest.fn();
    const watched = jest.spyOn(connections, 'watch').mockReturnValue(unwatch);
    const { database } = recorded();
    watched.mockRestore();
    await database.onApplicationShutdown();
    expect(unwatch).toHaveBeenCalledTimes(1);
  });
});

const items = ['a1', 'b1', 'a2', 'c1'].map((name) => ({ tenantId: name.charAt(0), name }));
const refused = Object.assign(new Error('refused'), { severity: 'ERROR', code: '23505' });

/** Returns the items that were processed while the work of some tenants failed. */
async function worked(failing: Record<string, Error>) {
  const done: Record<string, string[]> = {};
  const ended = eachTenant(items, async (tenantId, own) => {
    if (failing[tenantId]) throw failing[tenantId];
    done[tenantId] = own.map(({ name }) => name);
  });
  const error = await ended.catch((error: unknown) => error);
  return { done, error };
}

describe('eachTenant', () => {
  it('passes all items of a tenant in one call', async () => {
    expect(await worked({})).toEqual({ done: { a: ['a1', 'a2'], b: ['b1'], c: ['c1'] }, error: undefined });
  });

  it('continues with other tenants if PostgreSQL rejects the work of one, and throws that error', async () => {
    expect(await worked({ a: refused })).toEqual({ done: { b: ['b1'], c: ['c1'] }, error: refused });
  });

  it('stops at once if the database is unavailable', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(await worked({ b: away })).toEqual({ done: { a: ['a1', 'a2'] }, error: away });
  });

  it.each([
    ['one tenant at once by default', undefined, 1],
    ['the allowed number of tenants at once', 2, 2],
  ])('works on at most %s', async (_, atOnce, expected) => {
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    };
    await eachTenant(items, work, atOnce);
    expect(most).toBe(expected);
  });
});

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('work with statements in the pipeline', () => {
  it('ends when all of them have ended', async () => {
    let ended = false;
    const sent = after(20).then(() => {
      ended = true;
    });
    await expect(pipelined(async (send) => send(sent))).resolves.toBeUndefined();
    expect(ended).toBe(true);
  });

  it('fails with the first error, when all of them have ended', async () => {
    let ended = false;
    const work = pipelined(async (send) => {
      send(Promise.reject(new Error('first')));
      send(
        after(20).then(() => {
          ended = true;
        }),
      );
    });
    await expect(work).rejects.toThrow('first');
    expect(ended).toBe(true);
  });

  it('fails with the error of the work, when the statements have ended', async () => {
    let ended = false;
    const work = pipelined(async (send) => {
      send(
        after(20).then(() => {
          ended = true;
          throw new Error('statement');
        }),
      );
      throw new Error('work');
    });
    await expect(work).rejects.toThrow('work');
    expect(ended).toBe(true);
  });
});

function executed(often: OftenUsed, text: string, times: number): (string | undefined)[] {
  return Array.from({ length: times }, () => often.nameOf(text));
}

describe('statements that are used often', () => {
  it('are prepared from the twenty-first execution on, each with one name', () => {
    const often = new OftenUsed();
    expect(executed(often, 'select $1', 20)).toEqual(Array(20).fill(undefined));
    const [name, ...others] = new Set(executed(often, 'select $1', 5));
    expect([typeof name, others]).toEqual(['string', []]);
    expect(executed(often, 'select $2', 21).at(-1)).not.toBe(name);
  });

  it('are prepared again under another name, once a table has changed', () => {
    const often = new OftenUsed();
    const name = executed(often, 'select $1', 21).at(-1);
    const renamed = often.rename('select $1');
    expect(renamed).not.toBe(name);
    expect(often.nameOf('select $1')).toBe(renamed);
  });

  it('are at most a hundred, which keep their names', () => {
    const often = new OftenUsed();
    const names = Array.from({ length: 150 }, (_, n) => executed(often, `select ${n}, $1`, 21).at(-1));
    expect(new Set(names.slice(0, 100)).size).toBe(100);
    expect(names.slice(100)).toEqual(Array(50).fill(undefined));
    expect(often.nameOf('select 0, $1')).toBe(names[0]);
  });

  it.each([
    ['keep', 999, true],
    ['lose', 1_000, false],
  ])('%s their counts beside %d rare statements', (_, others, isCounted) => {
    const often = new OftenUsed();
    // A prepared statement is not counted.
    executed(often, 'select $2', 21);
    executed(often, 'select $1', 20);
    for (let n = 0; n < others; n += 1) often.nameOf(`select ${n}, $1`);
    expect(often.nameOf('select $1') !== undefined).toBe(isCounted);
  });

  it('are found among any number of statements with a text of one use', () => {
    const often = new OftenUsed();
    for (let n = 0; n < 10_000; n += 1) expect(often.nameOf(`select ${n}, $1`)).toBeUndefined();
    expect(executed(often, 'select $1', 21).at(-1)).toBeDefined();
  });
});
