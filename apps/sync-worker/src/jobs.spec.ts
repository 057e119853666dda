import type { JobCounts } from '@idsync/database/sync';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterBatch,
  afterEnd,
  afterPage,
  afterSourceFailed,
  decideOutcome,
  isComplete,
  withAnnounced,
  withoutSource,
} from './job-counts.js';

const none: JobCounts = {
  recordsRead: 0,
  recordsExpected: null,
  recordsApplied: 0,
  recordsFailed: 0,
  fieldsLeftOut: 0,
  batchesWritten: 0,
  batchesAnnounced: 0,
  batchesProcessed: 0,
  batchesTotal: null,
  progressPct: 0,
};

/** Random sources with random pages and fractions, and batches applied between random pages. */
const runs = fc.record({
  pages: fc.array(
    fc.record({
      records: fc.nat(1000),
      batches: fc.integer({ min: 1, max: 3 }),
      errors: fc.nat(50),
      fraction: fc.option(fc.double({ min: 0, max: 1.5, noNaN: true }), { nil: undefined }),
      appliedAfter: fc.nat(3),
      failedOfBatch: fc.nat(20),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

function simulate({ pages }: typeof runs extends fc.Arbitrary<infer Run> ? Run : never): JobCounts[] {
  const seen: JobCounts[] = [none];
  const waiting: { applied: number; failed: number }[] = [];
  let counts = none;
  const applyOne = () => {
    const batch = waiting.shift();
    if (!batch) return;
    counts = afterBatch(counts, batch);
    seen.push(counts);
  };
  pages.forEach(({ records, batches, errors, fraction, appliedAfter, failedOfBatch }, at) => {
    counts = afterPage(counts, {
      records,
      batches: Math.min(records, batches),
      errors,
      fieldsLeftOut: 0,
      last: at === pages.length - 1,
      ...(fraction !== undefined && { fraction }),
    });
    seen.push(counts);
    const failed = Math.min(failedOfBatch, records);
    // In a divided page, all batches but the first have one record.
    const single = Math.max(0, Math.min(records, batches) - 1);
    const first = records - single;
    if (first > 0) waiting.push({ applied: first - Math.min(failed, first), failed: Math.min(failed, first) });
    for (let i = 0; i < single; i += 1) waiting.push({ applied: 1, failed: 0 });
    for (let i = 0; i < appliedAfter; i += 1) applyOne();
  });
  while (waiting.length > 0) applyOne();
  return seen;
}

it('a page adds its fields that were left out to those of the job', () => {
  const page = { records: 1, batches: 1, errors: 0, fieldsLeftOut: 3, last: false };
  expect(afterPage({ ...none, fieldsLeftOut: 2 }, page).fieldsLeftOut).toBe(5);
});

describe('the announced batches of a job', () => {
  const steps = fc.array(fc.record({ written: fc.nat(3), share: fc.integer({ min: 1, max: 5 }) }), { maxLength: 50 });

  it.each(['full', 'changes'] as const)(
    'of mode %s are within its share, and never none while some are unapplied',
    (mode) => {
      fc.assert(
        fc.property(steps, (all) => {
          let counts = none;
          for (const { written, share } of all) {
            // A step without a page is an applied batch.
            const applied = written === 0 && counts.batchesAnnounced > counts.batchesProcessed ? 1 : 0;
            counts = {
              ...counts,
              batchesWritten: counts.batchesWritten + written,
              batchesProcessed: counts.batchesProcessed + applied,
            };
            const before = counts.batchesAnnounced;
            counts = withAnnounced(counts, mode, share);
            const inFlight = counts.batchesAnnounced - counts.batchesProcessed;
            expect(counts.batchesAnnounced).toBeGreaterThanOrEqual(before);
            if (counts.batchesAnnounced > before) expect(inFlight).toBeLessThanOrEqual(mode === 'changes' ? 1 : share);
            expect(inFlight > 0).toBe(counts.batchesWritten > counts.batchesProcessed);
          }
        }),
      );
    },
  );
});

describe('the counts of a job', () => {
  it('have a progress that never decreases and stays between 0 and 99 while the job runs', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const percents = simulate(run).map((counts) => counts.progressPct);
        expect(percents).toEqual([...percents].sort((a, b) => a - b));
        expect(Math.max(...percents)).toBeLessThanOrEqual(99);
      }),
    );
  });

  it('are complete exactly after the last batch, and include every record', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const seen = simulate(run);
        const last = seen.at(-1) ?? none;
        expect(isComplete(last)).toBe(true);
        expect(seen.slice(0, -1).filter(isComplete)).toEqual([]);
        expect(last.recordsApplied + last.recordsFailed).toBe(last.recordsRead);
      }),
    );
  });

  it('have a progress of 100 on success only', () => {
    const half = { ...none, progressPct: 50 };
    expect(afterEnd(half, true).progressPct).toBe(100);
    expect(afterEnd(half, false).progressPct).toBe(50);
  });

  it('have a progress relative to the estimated size of the source', () => {
    const read = afterPage(none, {
      records: 100,
      batches: 1,
      errors: 0,
      fieldsLeftOut: 0,
      fraction: 0.25,
      last: false,
    });
    expect(read).toMatchObject({ recordsExpected: 400, progressPct: 0 });
    expect(afterBatch(read, { applied: 100, failed: 0 }).progressPct).toBe(25);
  });

  it('have a progress relative to the records read if the source reports no size', () => {
    const read = afterPage(afterPage(none, { records: 90, batches: 1, errors: 10, fieldsLeftOut: 0, last: false }), {
      records: 100,
      batches: 2,
      errors: 0,
      fieldsLeftOut: 0,
      last: false,
    });
    expect(read.progressPct).toBe(10);
    expect(afterBatch(read, { applied: 88, failed: 2 }).progressPct).toBe(50);
  });

  it('have a progress in whole percent, rounded down, and none before the first record', () => {
    const page = { batches: 1, errors: 0, fieldsLeftOut: 0, last: false };
    expect(afterPage(none, { ...page, records: 0 }).progressPct).toBe(0);
    expect(afterBatch(afterPage(none, { ...page, records: 3 }), { applied: 2, failed: 0 }).progressPct).toBe(66);
    expect(afterBatch(afterPage(none, { ...page, records: 1 }), { applied: 1, failed: 0 }).progressPct).toBe(99);
  });

  it('expect no fewer records than were read', () => {
    const page = { records: 100, batches: 1, errors: 0, fieldsLeftOut: 0, fraction: 1.5, last: false };
    expect(afterPage(none, page).recordsExpected).toBe(100);
  });

  it('are complete without the missing pages of a failed source', () => {
    const read = afterPage(none, { records: 10, batches: 1, errors: 0, fieldsLeftOut: 0, last: false });
    expect(isComplete(read)).toBe(false);
    const failed = afterSourceFailed(read);
    expect(isComplete(failed)).toBe(false);
    expect(isComplete(afterBatch(failed, { applied: 10, failed: 0 }))).toBe(true);
  });
});

const counts = (recordsFailed: number, fieldsLeftOut = 0) => ({ recordsFailed, fieldsLeftOut }) as JobCounts;

describe('the outcome of a job', () => {
  it('is completed without a message if no record was skipped', () => {
    expect(decideOutcome(withoutSource(null), counts(0), undefined)).toEqual({
      status: 'completed',
      ...withoutSource(null),
    });
  });

  it.each([
    [1, { line: 17, externalId: null, message: 'no id' }, '1 record was left out; line 17: no id'],
    [3, { line: 17, externalId: 'x', message: 'no id' }, '3 records were left out; line 17: no id'],
    [2, { line: null, externalId: 'x', message: 'is there twice' }, '2 records were left out; x: is there twice'],
    [2, { line: null, externalId: null, message: 'odd' }, '2 records were left out; odd'],
    [2, undefined, '2 records were left out'],
  ])(
    'is completed with errors, with the number of skipped records and the first one: %#',
    (failed, first, errorMessage) => {
      expect(decideOutcome(withoutSource(null), counts(failed), first)).toEqual({
        status: 'completed_with_errors',
        ...withoutSource(errorMessage),
      });
    },
  );

  it.each([
    [0, 1, '1 value or repeated row was left out; line 17: hire_date is not a date'],
    [1, 2, '1 record was left out, 2 values or repeated rows were left out; line 17: hire_date is not a date'],
  ])('is completed with errors, with the number of skipped values: %#', (failed, fields, errorMessage) => {
    const first = { line: 17, externalId: 'x', message: 'hire_date is not a date' };
    expect(decideOutcome(withoutSource(null), counts(failed, fields), first)).toEqual({
      status: 'completed_with_errors',
      ...withoutSource(errorMessage),
    });
  });

  it('is failed if the source failed, regardless of skipped records', () => {
    const first = { line: 1, externalId: null, message: 'x' };
    const failure = { errorMessage: 'hr.csv is gone', errorCode: 'not_found', sourceMessage: 'no hr.csv' } as const;
    expect(decideOutcome(failure, counts(5), first)).toEqual({ status: 'failed', ...failure });
  });
});
