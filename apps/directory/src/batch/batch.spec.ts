import type { Transaction } from '@idsync/database';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { applyInHalves } from './divide-batch.js';
import { ProposedTimes } from './proposed-times.js';
import { afterStop, partsOf } from './suspect-batch.js';
import { WorkGate } from './work-gate.js';

describe('a batch that crashes the processes that apply it', () => {
  const fresh = { processId: null, first: null, beyond: null, stops: 0, cuts: [], leftOut: [] };
  type Begun = Parameters<typeof afterStop>[0];

  /** Simulates processes that crash at any of the bad records, until the batch is applied. */
  function applied(count: number, bad: ReadonlySet<number>): { begun: Begun; stops: number } {
    let begun: Begun = fresh;
    for (let stops = 0; ; stops += 1) {
      const stoppedIn = partsOf(count, begun.cuts).find(
        ([first, beyond]) => !begun.leftOut.includes(first) && [...bad].some((at) => at >= first && at < beyond),
      );
      if (!stoppedIn) return { begun, stops };
      const [first, beyond] = stoppedIn;
      const again = begun.first === first && begun.beyond === beyond ? begun.stops : 0;
      begun = afterStop({ ...begun, processId: 'another', first, beyond, stops: again }, 'this one');
      expect(stops).toBeLessThan(1_000);
    }
  }

  it('loses only the records that cause the crash', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_100 }), fc.array(fc.nat(1_099), { maxLength: 4 }), (count, places) => {
        const bad = new Set(places.filter((place) => place < count));
        const { begun } = applied(count, bad);
        expect([...begun.leftOut].sort((a, b) => a - b)).toEqual([...bad].sort((a, b) => a - b));
        const parts = partsOf(count, begun.cuts);
        expect(
          parts.flatMap(([first, beyond]) => Array.from({ length: beyond - first }, (_, at) => first + at)),
        ).toEqual(Array.from({ length: count }, (_, at) => at));
      }),
    );
  });

  it('crashes five processes until the record among 1000 is isolated, only the first with concurrent work', () => {
    expect(applied(1_000, new Set([700])).stops).toBe(4);
  });

  it('does not count a failure of this process without a crash', () => {
    const begun = { ...fresh, processId: 'this one', first: 3, beyond: 4, stops: 1 };
    expect(afterStop(begun, 'this one')).toMatchObject({ first: null, leftOut: [] });
    expect(afterStop(begun, 'another')).toMatchObject({ first: null, leftOut: [3] });
  });

  it('does not count a crash while no part was running', () => {
    expect(afterStop(fresh)).toEqual(fresh);
    const stoppedOnce = { ...fresh, first: 3, beyond: 4, stops: 1 };
    expect(afterStop(stoppedOnce)).toEqual(stoppedOnce);
  });
});

describe('applying in halves', () => {
  const tx = { attempt: <T>(work: () => Promise<T>) => work() } as Transaction;

  /** Applies the numbers from 1 to 8, of which some fail. Returns what was applied, and which parts failed. */
  async function applied(failing: readonly number[]): Promise<{ parts: number[][]; failed: number[][] }> {
    const failed: number[][] = [];
    const apply = async (part: readonly number[]) => {
      if (part.some((each) => failing.includes(each))) throw new Error('fails');
      return [...part];
    };
    const parts = await applyInHalves(tx, [1, 2, 3, 4, 5, 6, 7, 8], apply, (_, part) => void failed.push([...part]));
    return { parts, failed };
  }

  it('applies everything at once if nothing fails', async () => {
    expect(await applied([])).toEqual({ parts: [[1, 2, 3, 4, 5, 6, 7, 8]], failed: [] });
  });

  it('leaves out only the items that fail alone, and keeps the order', async () => {
    const { parts, failed } = await applied([3, 8]);
    expect(parts).toEqual([[1, 2], [4], [5, 6], [7]]);
    expect(failed.filter(({ length }) => length === 1)).toEqual([[3], [8]]);
  });

  it('ends with an error that is no fault of an item', async () => {
    const apply = () => Promise.reject(new Error('connection lost'));
    const examine = (error: unknown) => {
      throw error;
    };
    await expect(applyInHalves(tx, [1, 2], apply, examine)).rejects.toThrow('connection lost');
  });
});

describe('batches of a tenant', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('propose times, and lock the sequence first for ten seconds after the time of one was refused', () => {
    let now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const times = new ProposedTimes();
    expect(times.mayPropose('a')).toBe(true);
    times.refused('a');
    now += 9_999;
    expect([times.mayPropose('a'), times.mayPropose('b')]).toEqual([false, true]);
    now += 1;
    expect(times.mayPropose('a')).toBe(true);
  });
});

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
