import { describe, expect, it } from '@jest/globals';
import { closeInTurn, closeTogether, closeWithin, within } from './waiting.js';

describe.each([
  ['in turn', closeInTurn],
  ['together', closeTogether],
])('closing parts %s', (_, close) => {
  it('closes all parts although some fail, and throws the first failure at the end', async () => {
    const closed: string[] = [];
    const part = (name: string, error?: Error) => async () => {
      await Promise.resolve();
      closed.push(name);
      if (error) throw error;
    };
    const closing = close(part('a'), part('b', new Error('b hangs')), part('c', new Error('c hangs')), part('d'));
    await expect(closing).rejects.toThrow('b hangs');
    expect(closed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('resolves if no part fails', async () => {
    await expect(close(() => undefined)).resolves.toBeUndefined();
  });
});

describe('waiting for a close operation', () => {
  it('waits for its end and ignores its failure', async () => {
    let answered = false;
    const closing = async () => {
      await Promise.resolve();
      answered = true;
    };
    await closeWithin(closing(), 60_000);
    expect(answered).toBe(true);
    await expect(closeWithin(Promise.reject(new Error('gone already')), 60_000)).resolves.toBeUndefined();
  });

  it('stops waiting after the time limit', async () => {
    await expect(closeWithin(new Promise(() => undefined), 10)).resolves.toBeUndefined();
  });
});

describe('work with a time limit', () => {
  it('is reported as ended or not', async () => {
    expect(await within(60_000, Promise.resolve('whatever'))).toBe(true);
    expect(await within(5, new Promise(() => undefined))).toBe(false);
  });

  it('rejects with its error, and a late error is ignored', async () => {
    await expect(within(60_000, Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    let fail: (error: Error) => void = () => undefined;
    const slow = new Promise((_, reject) => {
      fail = reject;
    });
    expect(await within(5, slow)).toBe(false);
    fail(new Error('too late'));
  });
});
