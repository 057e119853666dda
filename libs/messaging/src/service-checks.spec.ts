import { describe, expect, it } from '@jest/globals';
import { lastKnown } from './service-checks.js';

describe('what was known last', () => {
  it('is told while the next look waits, and what that finds from then on', async () => {
    const looks: { found: (what: string) => void; failed: (error: Error) => void }[] = [];
    const ask = lastKnown(() => new Promise<string>((found, failed) => looks.push({ found, failed })));
    const first = ask();
    looks[0]?.found('current');
    expect(await first).toBe('current');
    expect(await ask()).toBe('current');
    expect(await ask()).toBe('current');
    expect(looks).toHaveLength(2);
    looks[1]?.found('older');
    await new Promise(setImmediate);
    expect(await ask()).toBe('older');
  });

  it('is kept if a look fails, and nothing is known before one has succeeded', async () => {
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
