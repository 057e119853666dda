import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterStop, partsOf } from './suspect-batch.js';

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

describe('a batch that crashes the processes that apply it', () => {
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
