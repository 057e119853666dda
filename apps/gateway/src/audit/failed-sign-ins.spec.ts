import { setImmediate as turn } from 'node:timers/promises';
import type { AuditInput } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditLog } from './audit-log.service.js';
import { FailedSignIns } from './failed-sign-ins.service.js';

let entries: AuditInput['after'][];
let statuses: unknown[];
let failure: Error | undefined;
let failed: FailedSignIns;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  statuses = [];
  entries = [];
  failure = undefined;
  const record = async (_chain: string, { after, status }: AuditInput) => {
    await turn();
    if (failure) throw failure;
    entries.push(after);
    statuses.push(status);
  };
  failed = new FailedSignIns({ record } as Partial<AuditLog> as AuditLog, silentLogger);
});

afterEach(async () => {
  await failed.onApplicationShutdown();
  jest.useRealTimers();
});

describe('failed sign-ins', () => {
  it('are recorded in one entry with their number by network, the most frequent first', async () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', undefined]) failed.count(address);
    await failed.flush();
    await failed.flush();
    expect(entries).toEqual([
      {
        requests: 4,
        networks: [
          { network: '192.0.2.2', count: 2 },
          { network: '192.0.2.1', count: 1 },
          { network: 'unknown', count: 1 },
        ],
      },
    ]);
  });

  it('name 20 networks, and count those beyond 1000 together', async () => {
    for (let n = 0; n < 1_010; n += 1) failed.count(`10.0.${n >> 8}.${n & 255}`);
    failed.count('10.0.0.0');
    await failed.flush();
    expect(entries).toMatchObject([{ requests: 1_011, networks: { length: 20 } }]);
    expect(entries).toMatchObject([
      {
        networks: {
          0: { network: 'other', count: 10 },
          1: { network: '10.0.0.0', count: 2 },
        },
      },
    ]);
  });

  it('are recorded later if that fails, together with those since then', async () => {
    failed.count('192.0.2.1');
    failure = new Error('the database is away');
    const recording = failed.flush();
    failed.count('192.0.2.1');
    failed.count('192.0.2.2');
    await recording;
    failure = undefined;
    await failed.flush();
    expect(entries).toEqual([
      {
        requests: 3,
        networks: [
          { network: '192.0.2.1', count: 2 },
          { network: '192.0.2.2', count: 1 },
        ],
      },
    ]);
  });

  it('are recorded as unauthorized requests every minute, and a last time when the gateway stops', async () => {
    failed.count('192.0.2.1');
    await jest.advanceTimersByTimeAsync(59_999);
    expect(statuses).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(statuses).toEqual([401]);
    failed.count('192.0.2.1');
    await failed.onApplicationShutdown();
    expect(statuses).toEqual([401, 401]);
    failed.count('192.0.2.1');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(statuses).toEqual([401, 401]);
  });
});
