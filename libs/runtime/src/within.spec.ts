import { describe, expect, it } from '@jest/globals';
import { within } from './within.js';

describe('work that has a time', () => {
  it('is told to have ended, or not', async () => {
    expect(await within(60_000, Promise.resolve('whatever'))).toBe(true);
    expect(await within(5, new Promise(() => undefined))).toBe(false);
  });

  it('fails as it fails, and harms nobody if that is too late', async () => {
    await expect(within(60_000, Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    let fail: (error: Error) => void = () => undefined;
    const slow = new Promise((_, reject) => {
      fail = reject;
    });
    expect(await within(5, slow)).toBe(false);
    fail(new Error('too late'));
  });
});
