import { describe, expect, it } from '@jest/globals';
import { until } from './until.js';

describe('until', () => {
  it('returns the first truthy value', async () => {
    const values = [undefined, 0, false, 'there', 'later'];
    await expect(until(() => values.shift())).resolves.toBe('there');
  });

  it('throws an error with the description, the condition or the last state when it times out', async () => {
    await expect(until(() => false, 'two events', 0)).rejects.toThrow('timed out after 0 ms: two events');
    await expect(until(() => 1 > 2, undefined, 0)).rejects.toThrow(/^timed out after 0 ms: .*1 > 2$/);
    await expect(
      until(
        () => undefined,
        async () => ({ got: 1 }),
        0,
      ),
    ).rejects.toThrow('timed out after 0 ms: {"got":1}');
  });

  it('throws the error of the condition', async () => {
    const fail = () => Promise.reject(new Error('no such row'));
    await expect(until(fail)).rejects.toThrow('no such row');
  });
});
