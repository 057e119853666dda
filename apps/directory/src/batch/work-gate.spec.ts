import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WorkGate } from './work-gate.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('work of a WorkGate', () => {
  it('runs concurrently with shared work, and never with work that runs alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), async (works) => {
        const gate = new WorkGate();
        let inside = 0;
        let aloneInside = 0;
        const work = (alone: boolean) => async () => {
          inside += 1;
          if (alone) aloneInside += 1;
          expect(aloneInside === 0 || inside === 1).toBe(true);
          await nextTurn();
          inside -= 1;
          if (alone) aloneInside -= 1;
        };
        await Promise.all(works.map((alone) => (alone ? gate.alone(work(true)) : gate.shared(work(false)))));
        expect(inside).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('starts immediately if no work runs alone', async () => {
    const gate = new WorkGate();
    const release: (() => void)[] = [];
    const all = [1, 2, 3].map(() => gate.shared(() => new Promise<void>((resolve) => release.push(resolve))));
    await nextTurn();
    expect(release).toHaveLength(3);
    for (const end of release) end();
    await Promise.all(all);
  });

  it('starts the next work after a failure, and rejects with the same error', async () => {
    const gate = new WorkGate();
    await expect(gate.alone(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await gate.alone(async () => 'next')).toBe('next');
  });
});
