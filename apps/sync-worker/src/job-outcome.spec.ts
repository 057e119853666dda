import type { JobCounts } from '@idsync/database';
import { describe, expect, it } from '@jest/globals';
import { decideOutcome } from './job-outcome.js';

const counts = (recordsFailed: number) => ({ recordsFailed }) as JobCounts;

describe('the outcome of a job', () => {
  it('is completed, with nothing to say, if no record was left out', () => {
    expect(decideOutcome(null, counts(0), undefined)).toEqual({ status: 'completed', errorMessage: null });
  });

  it.each([
    [1, { line: 17, externalId: null, message: 'no id' }, '1 record was left out; line 17: no id'],
    [3, { line: 17, externalId: 'x', message: 'no id' }, '3 records were left out; line 17: no id'],
    [2, { line: null, externalId: 'x', message: 'is there twice' }, '2 records were left out; x: is there twice'],
    [2, { line: null, externalId: null, message: 'odd' }, '2 records were left out; odd'],
    [2, undefined, '2 records were left out'],
  ])('is completed with errors, and says how many and which was first: %#', (failed, first, errorMessage) => {
    expect(decideOutcome(null, counts(failed), first)).toEqual({ status: 'completed_with_errors', errorMessage });
  });

  it('is failed if the source failed, whatever else went wrong', () => {
    const first = { line: 1, externalId: null, message: 'x' };
    expect(decideOutcome('hr.csv is gone', counts(5), first)).toEqual({
      status: 'failed',
      errorMessage: 'hr.csv is gone',
    });
  });
});
