import type { JobCounts } from '@idsync/database';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterBatch, afterEnd, afterPage, afterSourceFailed, isComplete } from './job-counts.js';

const none: JobCounts = {
  recordsRead: 0,
  recordsExpected: null,
  recordsApplied: 0,
  recordsFailed: 0,
  batchesWritten: 0,
  batchesProcessed: 0,
  batchesTotal: null,
  progressPct: 0,
};

/** Any source, cut into any pages, telling any fraction, its batches applied in any order between its pages. */
const trips = fc.record({
  pages: fc.array(
    fc.record({
      records: fc.nat(1000),
      errors: fc.nat(50),
      fraction: fc.option(fc.double({ min: 0, max: 1.5, noNaN: true }), { nil: undefined }),
      appliedAfter: fc.nat(3),
      failedOfBatch: fc.nat(20),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

function travel({ pages }: typeof trips extends fc.Arbitrary<infer Trip> ? Trip : never): JobCounts[] {
  const seen: JobCounts[] = [none];
  const waiting: { applied: number; failed: number }[] = [];
  let counts = none;
  const applyOne = () => {
    const batch = waiting.shift();
    if (!batch) return;
    counts = afterBatch(counts, batch);
    seen.push(counts);
  };
  pages.forEach(({ records, errors, fraction, appliedAfter, failedOfBatch }, at) => {
    counts = afterPage(counts, {
      records,
      errors,
      last: at === pages.length - 1,
      ...(fraction !== undefined && { fraction }),
    });
    seen.push(counts);
    const failed = Math.min(failedOfBatch, records);
    if (records > 0) waiting.push({ applied: records - failed, failed });
    for (let i = 0; i < appliedAfter; i += 1) applyOne();
  });
  while (waiting.length > 0) applyOne();
  return seen;
}

describe('progress', () => {
  it('never goes back, and stays between 0 and 99 while the job runs', () => {
    fc.assert(
      fc.property(trips, (trip) => {
        const percents = travel(trip).map((counts) => counts.progressPct);
        expect(percents).toEqual([...percents].sort((a, b) => a - b));
        expect(Math.max(...percents)).toBeLessThanOrEqual(99);
      }),
    );
  });

  it('is complete with the last batch and not before, and accounts for every record', () => {
    fc.assert(
      fc.property(trips, (trip) => {
        const seen = travel(trip);
        const last = seen.at(-1) ?? none;
        expect(isComplete(last)).toBe(true);
        expect(seen.slice(0, -1).filter(isComplete)).toEqual([]);
        expect(last.recordsApplied + last.recordsFailed).toBe(last.recordsRead);
      }),
    );
  });

  it('is 100 on success only', () => {
    const half = { ...none, progressPct: 50 };
    expect(afterEnd(half, true).progressPct).toBe(100);
    expect(afterEnd(half, false).progressPct).toBe(50);
  });

  it('counts what is applied against what the source is estimated to hold', () => {
    const read = afterPage(none, { records: 100, errors: 0, fraction: 0.25, last: false });
    expect(read).toMatchObject({ recordsExpected: 400, progressPct: 0 });
    expect(afterBatch(read, { applied: 100, failed: 0 }).progressPct).toBe(25);
  });

  it('counts against what was read where the source cannot tell', () => {
    const read = afterPage(afterPage(none, { records: 90, errors: 10, last: false }), {
      records: 100,
      errors: 0,
      last: false,
    });
    expect(read.progressPct).toBe(10);
    expect(afterBatch(read, { applied: 88, failed: 2 }).progressPct).toBe(50);
  });

  it('does not wait for pages a failed source never gave', () => {
    const read = afterPage(none, { records: 10, errors: 0, last: false });
    expect(isComplete(read)).toBe(false);
    const failed = afterSourceFailed(read);
    expect(isComplete(failed)).toBe(false);
    expect(isComplete(afterBatch(failed, { applied: 10, failed: 0 }))).toBe(true);
  });
});
