import type { Database, Transaction } from '@idsync/database';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Push, PushGroups } from './push-groups.service.js';

const connector = { tenantId: 't', connectorId: 'c' };

/** Counts transactions; each waits for `commit`. */
class TransactionLog {
  readonly log: string[] = [];
  failing: Error | undefined;
  connectorExists = true;
  private readonly commits: (() => void)[] = [];

  readonly database = {
    transaction: async (_tenantId: string, work: (tx: Transaction) => Promise<unknown>) => {
      this.log.push('begin');
      const result = await work(this.tx);
      await new Promise<void>((resolve) => this.commits.push(resolve));
      if (this.failing) throw this.failing;
      this.log.push('commit');
      return result;
    },
  } as unknown as Database;

  private readonly tx = {
    query: async (text: string, values?: unknown[]) => {
      if (text.includes('into scim_positions')) return [{ last: values?.at(-1) }];
      if (text.includes('from connectors')) {
        this.log.push('trigger');
        return this.connectorExists ? [{ queued: 'job' }] : [];
      }
      return [];
    },
    ids: async () => [],
    attempt: (work: () => Promise<unknown>) => {
      this.log.push('savepoint');
      return work();
    },
  } as unknown as Transaction;

  async commit(): Promise<void> {
    await settled();
    this.commits.shift()?.();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('pushes of one connector', () => {
  let transactions: TransactionLog;
  let pushes: PushGroups;

  beforeEach(() => {
    transactions = new TransactionLog();
    pushes = new PushGroups(transactions.database);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** A push that writes its name and number to the log. */
  const push = (name: string, changed = true) =>
    pushes.run(connector, async ({ position }: Push) => {
      transactions.log.push(`${name} ${position}`);
      if (name.startsWith('bad')) throw new Error(name);
      return { result: name, changed };
    });

  it('share the transaction after the running one, and are answered after its commit', async () => {
    const answered: string[] = [];
    const all = ['a', 'b', 'c'].map((name) => push(name).then((result) => answered.push(result)));
    await transactions.commit();
    expect(answered).toEqual(['a']);
    expect(transactions.log).toEqual(['begin', 'a 1', 'trigger', 'commit', 'begin', 'b 1', 'c 2', 'trigger']);
    await transactions.commit();
    await Promise.all(all);
    expect(answered).toEqual(['a', 'b', 'c']);
  });

  it('fail alone, and trigger no job if none of them changed a resource', async () => {
    const all = [push('a', false), push('bad'), push('b', false)];
    const failure = expect(all[1]).rejects.toThrow('bad');
    await transactions.commit();
    await transactions.commit();
    await failure;
    expect(await Promise.all([all[0], all[2]])).toEqual(['a', 'b']);
    expect(transactions.log).not.toContain('trigger');
  });

  it('have savepoints only if one of them has failed without', async () => {
    const all = [push('a'), push('b'), push('bad'), push('c')];
    const failure = expect(all[2]).rejects.toThrow('bad');
    await transactions.commit();
    expect(transactions.log.splice(0)).toEqual(
      ['begin', 'a 1', 'trigger', 'commit', 'begin', 'b 1', 'bad 2', 'begin'].concat([
        'savepoint',
        'b 1',
        'savepoint',
        'bad 2',
        'savepoint',
        'c 3',
        'trigger',
      ]),
    );
    await transactions.commit();
    await failure;
    expect(await Promise.all([all[0], all[1], all[3]])).toEqual(['a', 'b', 'c']);
  });

  it('have savepoints from the start for ten seconds after that', async () => {
    const all = [push('a'), push('bad'), push('b'), push('c')];
    const failure = expect(all[1]).rejects.toThrow('bad');
    await transactions.commit();
    await transactions.commit();
    await failure;
    await Promise.all([all[0], all[2], all[3]]);
    const group = async () => {
      transactions.log.length = 0;
      const pushed = [push('d'), push('e'), push('f')];
      await transactions.commit();
      await transactions.commit();
      await Promise.all(pushed);
      return transactions.log.filter((line) => line === 'savepoint').length;
    };
    expect(await group()).toBe(2);
    const began = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => began + 10_000);
    expect(await group()).toBe(0);
  });

  it('fail together, and not twice, if PostgreSQL does not answer', async () => {
    const first = push('a');
    const timeout = () => Promise.reject(new Error('Query read timeout'));
    const lost = [pushes.run(connector, timeout), push('b')];
    const failures = lost.map((each) => expect(each).rejects.toThrow('Query read timeout'));
    await transactions.commit();
    await transactions.commit();
    await Promise.all([first, ...failures]);
    expect(transactions.log.filter((line) => line === 'begin')).toHaveLength(2);
  });

  it('run at the same time if all of them only add resources', async () => {
    const first = push('a');
    const running: string[] = [];
    const add = (name: string) =>
      pushes.run(
        connector,
        async () => {
          running.push(name);
          await settled();
          return { result: [name, ...running], changed: true };
        },
        { isAddition: true },
      );
    const added = [add('b'), add('c')];
    await transactions.commit();
    await transactions.commit();
    expect(await Promise.all([first, ...added])).toEqual(['a', ['b', 'b', 'c'], ['c', 'b', 'c']]);
    expect(transactions.log.slice(4)).toEqual(['begin', 'trigger', 'commit']);
  });

  it('that only add resources fail alone, after the others of the first attempt have ended', async () => {
    const first = push('a');
    const log: string[] = [];
    const add = (name: string) =>
      pushes.run(
        connector,
        async () => {
          log.push(`${name} begins`);
          if (name === 'bad') throw new Error(name);
          await settled();
          log.push(`${name} ends`);
          return { result: name, changed: true };
        },
        { isAddition: true },
      );
    const added = [add('bad'), add('b')];
    const failure = expect(added[0]).rejects.toThrow('bad');
    await transactions.commit();
    await settled();
    await transactions.commit();
    await failure;
    expect(await Promise.all([first, added[1]])).toEqual(['a', 'b']);
    expect(log).toEqual(['bad begins', 'b begins', 'b ends', 'bad begins', 'b begins', 'b ends']);
  });

  it('fail together if their transaction fails, without affecting the next', async () => {
    const lost = [push('a'), push('b')];
    const failures = Promise.all(lost.map((each) => expect(each).rejects.toThrow('connection lost')));
    transactions.failing = new Error('connection lost');
    await transactions.commit();
    await transactions.commit();
    await failures;
    transactions.failing = undefined;
    const next = push('c');
    await transactions.commit();
    expect(await next).toBe('c');
  });

  it('are not found after their connector was deleted', async () => {
    transactions.connectorExists = false;
    await expect(push('a')).rejects.toMatchObject({ status: 404 });
  });

  it('run again as a group after a deadlock, which is no error of one push', async () => {
    const deadlock = Object.assign(new Error('deadlock'), { code: '40P01', severity: 'ERROR' });
    const first = push('a');
    const second = pushes.run(connector, () => Promise.reject(deadlock));
    const third = push('b');
    const failures = [second, third].map((each) => expect(each).rejects.toThrow('deadlock'));
    await transactions.commit();
    await Promise.all([first, ...failures]);
    expect(transactions.log.filter((line) => line === 'commit')).toHaveLength(1);
  });

  it('begin another transaction after 32 pushes or two seconds', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const first = push('a');
    const slow = pushes.run(connector, async () => {
      now += 2_001;
      return { result: 'slow', changed: false };
    });
    const rest = Array.from({ length: 40 }, (_, n) => push(`p${n}`));
    for (let commits = 0; commits < 4; commits += 1) await transactions.commit();
    expect(await Promise.all([first, slow, ...rest])).toHaveLength(42);
    const sizes = transactions.log.join(' ').split('begin').slice(1);
    expect(sizes.map((each) => each.match(/p\d+ /g)?.length ?? 0)).toEqual([0, 0, 32, 8]);
  });

  it('are refused as busy after waiting for ten seconds', async () => {
    const first = push('a');
    const late = expect(push('b')).rejects.toMatchObject({ status: 503 });
    const began = performance.now();
    await settled();
    jest.spyOn(performance, 'now').mockImplementation(() => began + 10_001);
    await transactions.commit();
    await Promise.all([first, late]);
    expect(transactions.log.filter((line) => line === 'begin')).toHaveLength(1);
  });
});
