import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimiter, type ConcurrencyLimits, type Slot } from './concurrency-limiter.js';

const limits: ConcurrencyLimits = { each: 2, all: 3, queued: 2, waitMs: 60_000, bytes: { each: 100, all: 150 } };

/** Records the order in which named requests receive their slots. */
class Granted {
  readonly names: string[] = [];
  private readonly slots = new Map<string, Slot>();

  constructor(private readonly limiter: ConcurrencyLimiter) {}

  /** The first letter of the name is the key. */
  acquire(name: string, bytes = 1): Promise<void> {
    return this.limiter.acquire(name.slice(0, 1), bytes).then((slot) => {
      this.names.push(name);
      this.slots.set(name, slot);
    });
  }

  async workDone(name: string, bytes = 0): Promise<string[]> {
    this.slots.get(name)?.workDone(bytes);
    return this.settled();
  }

  async release(name: string): Promise<string[]> {
    this.slots.get(name)?.release();
    return this.settled();
  }

  async settled(): Promise<string[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.names;
  }
}

describe('slots of the concurrency limiter', () => {
  it('are limited for each key and in total, and granted to waiting keys in rotation', async () => {
    const granted = new Granted(new ConcurrencyLimiter(limits));
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'c1'].map((name) => granted.acquire(name));
    expect(await granted.settled()).toEqual(['a1', 'a2', 'b1']);
    expect(await granted.workDone('b1')).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(await granted.workDone('a1')).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
    expect(await granted.workDone('a2')).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'c1']);
    expect((await granted.workDone('a3')).at(-1)).toBe('a4');
    await Promise.all(all);
  });

  it('are refused with a 503 if too many requests wait, or after the timeout, and then granted to later requests', async () => {
    const limiter = new ConcurrencyLimiter({ ...limits, each: 1, waitMs: 10 });
    const first = await limiter.acquire('a', 1);
    const [late, later] = [limiter.acquire('a', 1), limiter.acquire('a', 1)];
    await expect(limiter.acquire('a', 1)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2 });
    await expect(late).rejects.toMatchObject({ status: 503 });
    await expect(later).rejects.toMatchObject({ status: 503 });
    const next = limiter.acquire('a', 1);
    first.release();
    await next;
  });

  it('wait for memory within the limits of the key and in total, without being overtaken', async () => {
    const granted = new Granted(new ConcurrencyLimiter({ ...limits, each: 5, all: 5 }));
    const all = [granted.acquire('a1', 60), granted.acquire('a2', 60), granted.acquire('b1', 60)];
    expect(await granted.settled()).toEqual(['a1', 'b1']);
    all.push(granted.acquire('c1', 60), granted.acquire('d1', 1));
    expect(await granted.settled()).toEqual(['a1', 'b1']);
    expect(await granted.release('b1')).toEqual(['a1', 'b1', 'c1', 'd1']);
    expect((await granted.release('a1')).at(-1)).toBe('a2');
    await Promise.all(all);
  });

  it('reserve the memory of a response until it is sent, without blocking another slot', async () => {
    const granted = new Granted(new ConcurrencyLimiter({ ...limits, each: 1 }));
    const all = [granted.acquire('a1', 100), granted.acquire('a2', 20), granted.acquire('a3', 60)];
    await granted.settled();
    expect(await granted.workDone('a1', 50)).toEqual(['a1', 'a2']);
    expect(await granted.workDone('a2', 0)).toEqual(['a1', 'a2']);
    expect(await granted.release('a1')).toEqual(['a1', 'a2', 'a3']);
    await Promise.all(all);
  });

  it('are granted exclusively to work that needs more memory than the limit of a key', async () => {
    const granted = new Granted(new ConcurrencyLimiter(limits));
    await granted.acquire('a1', 1_000);
    const other = granted.acquire('a2', 1);
    expect(await granted.settled()).toEqual(['a1']);
    expect(await granted.release('a1')).toEqual(['a1', 'a2']);
    await other;
  });

  it('are freed only once when released repeatedly', async () => {
    const granted = new Granted(new ConcurrencyLimiter({ ...limits, each: 1 }));
    const all = ['a1', 'a2', 'a3'].map((name) => granted.acquire(name));
    await granted.settled();
    await granted.release('a1');
    await granted.workDone('a1', 70);
    expect(await granted.release('a1')).toEqual(['a1', 'a2']);
    await granted.release('a2');
    await Promise.all(all);
  });

  it('are taken and freed together by work that needs several', async () => {
    const limiter = new ConcurrencyLimiter({ ...limits, each: 4, all: 4 });
    const order: string[] = [];
    const acquire = (name: string, slots: number) =>
      limiter.acquire('a', 1, slots).then((slot) => {
        order.push(name);
        return slot;
      });
    const read = await acquire('read', 3);
    const [push, large, small] = [acquire('push', 1), acquire('large', 3), acquire('small', 1)];
    await push;
    expect(order).toEqual(['read', 'push']);
    read.workDone(0);
    await large;
    expect(order).toEqual(['read', 'push', 'large']);
    (await push).release();
    await small;
  });
});
