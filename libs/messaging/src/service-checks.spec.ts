import { describe, expect, it } from '@jest/globals';
import { lastKnown } from './service-checks.js';

describe('the last known result', () => {
  it('is returned while the next call is pending, and replaced by its result', async () => {
    const calls: { found: (what: string) => void; failed: (error: Error) => void }[] = [];
    const ask = lastKnown(() => new Promise<string>((found, failed) => calls.push({ found, failed })));
    const first = ask();
    calls[0]?.found('current');
    expect(await first).toBe('current');
    expect(await ask()).toBe('current');
    expect(await ask()).toBe('current');
    expect(calls).toHaveLength(2);
    calls[1]?.found('older');
    await new Promise(setImmediate);
    expect(await ask()).toBe('older');
  });

  it('is retained if a call fails, and unknown before the first success', async () => {
    const answers = [new Error('away'), 'current', new Error('away')];
    const ask = lastKnown(async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    await expect(ask()).rejects.toThrow('away');
    expect(await ask()).toBe('current');
    expect(await ask()).toBe('current');
    expect(await ask()).toBe('current');
  });
});
