import { describe, expect, it } from '@jest/globals';
import { within } from './waiting.js';

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
