import { describe, expect, it, jest } from '@jest/globals';
import type { ServiceDataSource } from './data-source.js';
import { Database, onlyIndexScans } from './database.js';
import { connections } from './metrics.js';

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
