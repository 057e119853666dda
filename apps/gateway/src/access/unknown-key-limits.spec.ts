import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { maxFailures, UnknownKeyLimits } from './unknown-key-limits.js';

const nothing = async () => undefined;

async function failIn(limits: UnknownKeyLimits, address: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await limits.lookUp(address, nothing);
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('look-ups of unknown keys', () => {
  it('are refused until a minute after the first failure of the network', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const limits = new UnknownKeyLimits();
    for (let n = 0; n < maxFailures; n += 1) limits.count('198.51.100.7');
    const check = () => limits.check('198.51.100.7');
    clock.mockReturnValue(31_000);
    expect(check).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 30 }));
    clock.mockReturnValue(60_999);
    expect(check).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 1 }));
    clock.mockReturnValue(61_000);
    expect(check).not.toThrow();
  });

  it('are at most two at once, and refused without a place if their network failed too often', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures);
    const answers: (() => void)[] = [];
    const hanging = () => new Promise<undefined>((resolve) => answers.push(() => resolve(undefined)));
    const pending = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => limits.lookUp(address, hanging));
    await nextTurn();
    expect(answers).toHaveLength(2);
    await expect(limits.lookUp('198.51.100.7', nothing)).rejects.toMatchObject({ status: 429 });
    answers[0]?.();
    await nextTurn();
    expect(answers).toHaveLength(3);
    for (const answer of answers) answer();
    expect(await Promise.all(pending)).toEqual([undefined, undefined, undefined]);
  });

  it('are refused with the time to wait after too many failures of a network', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures);
    const refused = limits.lookUp('198.51.100.7', async () => 'a key');
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) });
  });

  it('of another network are not affected', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures);
    expect(await limits.lookUp('203.0.113.9', async () => 'a key')).toBe('a key');
  });

  it('are refused in the queue when earlier ones of the network have failed in the meantime', async () => {
    const limits = new UnknownKeyLimits();
    await failIn(limits, '198.51.100.7', maxFailures - 1);
    let found = 0;
    const first = limits.lookUp('198.51.100.7', nothing);
    const second = limits.lookUp('198.51.100.7', async () => (found += 1));
    expect(await first).toBeUndefined();
    await expect(second).rejects.toMatchObject({ status: 429 });
    expect(found).toBe(0);
  });

  it('are counted for the 10 000 networks that sent them last', () => {
    const limits = new UnknownKeyLimits();
    for (let n = 0; n < maxFailures; n += 1) limits.count('198.51.100.7');
    for (let n = 0; n < 9_999; n += 1) limits.count(`network ${n}`);
    expect(() => limits.check('198.51.100.7')).toThrow(expect.objectContaining({ status: 429 }));
    for (let n = 0; n < 10_000; n += 1) limits.count(`network ${n}`);
    expect(() => limits.check('198.51.100.7')).not.toThrow();
  });

  it('that find a key do not count', async () => {
    const limits = new UnknownKeyLimits();
    for (let n = 0; n <= maxFailures; n += 1) await limits.lookUp('198.51.100.7', async () => 'a key');
    expect(await limits.lookUp('198.51.100.7', async () => 'another')).toBe('another');
  });

  it('free their place when they fail', async () => {
    const limits = new UnknownKeyLimits();
    const fails = async () => Promise.reject(new Error('the database is away'));
    for (let n = 0; n < 5; n += 1) await expect(limits.lookUp('198.51.100.7', fails)).rejects.toThrow('away');
    expect(await limits.lookUp('198.51.100.7', async () => 'a key')).toBe('a key');
  });

  it('are refused as busy after five seconds in the queue', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    try {
      const limits = new UnknownKeyLimits();
      const answers: (() => void)[] = [];
      const hanging = () => new Promise<undefined>((resolve) => answers.push(() => resolve(undefined)));
      const running = ['192.0.2.1', '192.0.2.2'].map((address) => limits.lookUp(address, hanging));
      let refusal: unknown;
      const waiting = limits.lookUp('192.0.2.3', hanging).catch((error: unknown) => {
        refusal = error;
      });
      await nextTurn();
      await jest.advanceTimersByTimeAsync(4_999);
      expect(refusal).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      await waiting;
      expect(refusal).toMatchObject({ status: 503, retryAfterSeconds: 5 });
      for (const answer of answers) answer();
      await Promise.all(running);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are refused as busy when they wait for too long', async () => {
    const limits = new UnknownKeyLimits({ each: 1, all: 1, queued: 5, waitMs: 10, bytes: { each: 0, all: 0 } });
    let answer = (_: undefined) => {};
    const first = limits.lookUp('198.51.100.7', () => new Promise<undefined>((resolve) => (answer = resolve)));
    await expect(limits.lookUp('192.0.2.1', nothing)).rejects.toMatchObject({ status: 503 });
    answer(undefined);
    expect(await first).toBeUndefined();
  });
});
