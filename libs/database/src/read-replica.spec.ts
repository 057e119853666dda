import { setImmediate as turn } from 'node:timers/promises';
import { newUuid } from '@idsync/contracts';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServiceDataSource } from './data-source.js';
import { DatabaseBusy } from './fair-shares.js';
import { connections } from './metrics.js';
import { ReadReplica, type ReadReplicaOptions } from './read-replica.js';

const tenant = newUuid();
const lost = Object.assign(new Error('the connection is lost'), { code: 'ECONNRESET' });

/** A replica whose answers a test chooses, on a clock that the test controls. */
let replica: {
  position: () => Promise<string>;
  open: () => Promise<void>;
  answer: () => Promise<{ isReplica: boolean; isReached: boolean }>;
};
let now: number;
let counts: { opened: number; asked: number; ended: number; destroyed: number };
let changes: unknown[];
let reads: ReadReplica;

const options = (): ReadReplicaOptions => ({
  url: 'postgres://replica.example/idsync',
  role: 'idsync_gateway',
  service: 'directory',
  poolSize: 2,
  statementTimeoutMs: 1_000,
  shareOf: () => ({ group: tenant, member: tenant }),
  primaryPosition: () => replica.position(),
  onChange: (problem) => changes.push(problem ?? 'used again'),
});

beforeEach(() => {
  now = 10_000;
  changes = [];
  counts = { opened: 0, asked: 0, ended: 0, destroyed: 0 };
  replica = {
    position: async () => '0/1',
    open: async () => undefined,
    answer: async () => ({ isReplica: true, isReached: true }),
  };
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  jest.spyOn(ServiceDataSource.prototype, 'initialize').mockImplementation(async function (this: ServiceDataSource) {
    counts.opened += 1;
    await replica.open();
    return Object.assign(this, { isInitialized: true });
  });
  jest.spyOn(ServiceDataSource.prototype, 'destroy').mockImplementation(async () => {
    await turn();
    counts.destroyed += 1;
  });
  const client = {
    query: async () => {
      counts.asked += 1;
      return { rows: [await replica.answer()] };
    },
    end: async () => {
      counts.ended += 1;
    },
  };
  const runner = { connect: async () => client, release: async () => undefined, manager: {} };
  jest.spyOn(ServiceDataSource.prototype, 'createQueryRunner').mockReturnValue(runner as never);
  reads = new ReadReplica(options());
});

afterEach(async () => {
  await reads.close();
  jest.restoreAllMocks();
});

const found = { result: 'found' };
const read = () => reads.read(tenant, async () => 'found');

/** The replica says nothing new, while the time passes. */
function fallBehind(): void {
  replica.answer = async () => {
    now += 50;
    return { isReplica: true, isReached: false };
  };
}

describe('a read', () => {
  it('runs on the replica once that has what the primary had', async () => {
    const answers = [false, false, true];
    replica.answer = async () => ({ isReplica: true, isReached: answers.shift() ?? true });
    expect(await read()).toEqual(found);
    expect({ ...counts, changes }).toEqual({ opened: 1, asked: 3, ended: 0, destroyed: 0, changes: [] });
  });

  it('is left to the primary for a second after the replica was behind for 100 ms, which is no failure', async () => {
    fallBehind();
    expect(await read()).toBeUndefined();
    expect({ ...counts, changes }).toMatchObject({ asked: 2, ended: 0, changes: [] });
    replica.answer = async () => ({ isReplica: true, isReached: true });
    now += 999;
    expect(await read()).toBeUndefined();
    expect(counts.asked).toBe(2);
    now += 1;
    expect([await read(), await read()]).toEqual([found, found]);
  });

  it.each<[string, () => void]>([
    ['does not answer', () => (replica.answer = () => Promise.reject(lost))],
    ['is none', () => (replica.answer = async () => ({ isReplica: false, isReached: true }))],
  ])('is left to the primary if the server %s, whose connection is closed', async (_what, fail) => {
    fail();
    expect(await read()).toBeUndefined();
    expect(counts.ended).toBe(1);
  });

  it('fails with its own error on a connection that stays open', async () => {
    const failure = new Error('division by zero');
    await expect(reads.read(tenant, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(counts.ended).toBe(0);
    expect(await read()).toEqual(found);
  });

  it('is left to the primary if the connection is lost during it', async () => {
    const work = reads.read(tenant, async (_connection, onBroken) => {
      onBroken();
      throw lost;
    });
    expect(await work).toBeUndefined();
    expect({ ended: counts.ended, changes }).toEqual({ ended: 1, changes: [lost] });
  });

  it('is refused if the tenant has all its connections, because it would have as many on the primary', async () => {
    jest.mocked(ServiceDataSource.prototype.createQueryRunner).mockImplementation(() => {
      throw new DatabaseBusy();
    });
    await expect(read()).rejects.toBeInstanceOf(DatabaseBusy);
  });

  it('is left to the primary if neither the replica nor the position of the primary can be read', async () => {
    replica.open = () => Promise.reject(lost);
    replica.position = () => Promise.reject(new Error('no position'));
    expect(await read()).toBeUndefined();
    expect(changes).toEqual([lost]);
  });
});

describe('a replica that cannot be reached', () => {
  it('is reported once, opened again by one read after a second, and reported when it is used again', async () => {
    replica.open = () => Promise.reject(lost);
    expect(await read()).toBeUndefined();
    now += 1_000;
    expect(await Promise.all([read(), read()])).toEqual([undefined, undefined]);
    expect({ opened: counts.opened, changes }).toEqual({ opened: 2, changes: [lost] });
    replica.open = async () => undefined;
    now += 1_000;
    expect(await Promise.all([read(), read()])).toEqual([found, undefined]);
    expect(await Promise.all([read(), read()])).toEqual([found, found]);
    expect({ opened: counts.opened, changes }).toEqual({ opened: 3, changes: [lost, 'used again'] });
  });

  it('is tried by one read at a time, before its first use and after a failure', async () => {
    expect(await Promise.all([read(), read()])).toEqual([found, undefined]);
    replica.answer = () => Promise.reject(lost);
    expect(await read()).toBeUndefined();
    now += 1_000;
    const asked = counts.asked;
    expect(await Promise.all([read(), read()])).toEqual([undefined, undefined]);
    expect(counts.asked).toBe(asked + 1);
  });
});

describe('closing', () => {
  it('closes the connections of a replica that was opened', async () => {
    await reads.close();
    expect(counts.destroyed).toBe(0);
    await reads.open();
    await reads.open();
    await reads.close();
    expect(counts).toMatchObject({ opened: 1, destroyed: 1 });
  });

  it('waits for a connection that is being opened', async () => {
    replica.open = async () => void (await turn());
    const opening = reads.open();
    await reads.close();
    expect(counts.destroyed).toBe(1);
    await opening;
  });

  it('ignores a connection that cannot be opened', async () => {
    replica.open = () => turn().then(() => Promise.reject(lost));
    const opening = reads.open().catch((error: unknown) => error);
    await reads.close();
    expect([await opening, counts.destroyed]).toEqual([lost, 0]);
  });

  it('ends the report of its connections', async () => {
    const unwatch = jest.fn();
    jest.spyOn(connections, 'watch').mockReturnValue(unwatch);
    const closed = new ReadReplica(options());
    await closed.close();
    expect(unwatch).toHaveBeenCalledTimes(1);
  });
});
