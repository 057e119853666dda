import { describe, expect, it } from '@jest/globals';
import { CliError, UnreachableError } from './cli-error.js';
import { watch } from './watch.js';

const running = { status: 'running' };
const show = () => undefined;
const never = () => false;

describe('watching', () => {
  it('waits longer from read to read, until the resource is settled', async () => {
    const times: number[] = [];
    const read = async () => times.push(performance.now());
    expect(await watch(read, show, (reads) => reads === 3, { timeoutMs: 60_000, outageMs: 0 })).toBe(3);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(90);
    expect(third - second).toBeGreaterThan(140);
  });

  it('stops after its timeout', async () => {
    const watching = watch(async () => running, show, never, { timeoutMs: 0, outageMs: 0 });
    await expect(watching).rejects.toThrow('what was requested continues');
  });

  it('stops when the service stays unreachable longer than the outage limit', async () => {
    const read = async (): Promise<typeof running> => {
      throw new UnreachableError('cannot reach it');
    };
    const watching = watch(read, show, never, { timeoutMs: 60_000, outageMs: 150 });
    await expect(watching).rejects.toThrow('cannot reach it');
  });

  it('does not retry after a response of not found', async () => {
    let reads = 0;
    const read = async (): Promise<typeof running> => {
      reads += 1;
      throw new CliError('not found');
    };
    await expect(watch(read, show, never, { timeoutMs: 60_000, outageMs: 60_000 })).rejects.toThrow('not found');
    expect(reads).toBe(1);
  });
});
