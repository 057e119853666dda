import { describe, expect, it } from '@jest/globals';
import { SharedReads } from './shared-reads.js';

interface Read {
  key: string;
  /** Value that is read when the read begins. */
  value: number;
  end(error?: Error): void;
}

function readsOf() {
  const begun: Read[] = [];
  const stored = { value: 0 };
  const reads = new SharedReads(
    (key) =>
      new Promise<number>((resolve, reject) => {
        const { value } = stored;
        begun.push({ key, value, end: (error) => (error ? reject(error) : resolve(value)) });
      }),
  );
  return { begun, stored, reads };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('reads that requests share', () => {
  it('answer all that arrive during a read by one more, which begins after them', async () => {
    const { begun, stored, reads } = readsOf();
    const first = reads.get('a');
    stored.value = 1;
    const later = [reads.get('a'), reads.get('a'), reads.get('a')];
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    expect(await first).toBe(0);
    await soon();
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    expect(await Promise.all(later)).toEqual([1, 1, 1]);
  });

  it('are separate for each key, and begin at once if none runs', async () => {
    const { begun, reads } = readsOf();
    const [one, other] = [reads.get('a'), reads.get('b')];
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
    for (const read of begun) read.end();
    await Promise.all([one, other]);
    const again = reads.get('a');
    expect(begun).toHaveLength(3);
    begun[2]?.end();
    await again;
  });

  it('fail for those that wait for the read that failed, and for no others', async () => {
    const { begun, reads } = readsOf();
    const first = reads.get('a');
    const second = reads.get('a');
    begun[0]?.end(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await soon();
    begun[1]?.end();
    await expect(second).resolves.toBe(0);
  });

  it('never answer with a value from before the request', async () => {
    const { begun, stored, reads } = readsOf();
    const outcomes: Promise<void>[] = [];
    for (let step = 1; step <= 200; step += 1) {
      stored.value = step;
      outcomes.push(reads.get('a').then((value) => expect(value).toBeGreaterThanOrEqual(step)));
      if (step % 7 === 0) begun.at(-1)?.end();
      if (step % 3 === 0) await soon();
    }
    for (let at = 0; at < begun.length; at += 1) {
      begun[at]?.end();
      await soon();
    }
    await Promise.all(outcomes);
    expect(begun.length).toBeLessThan(100);
  });
});
