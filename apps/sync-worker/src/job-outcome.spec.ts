import type { JobCounts } from '@idsync/database/sync';
import { describe, expect, it } from '@jest/globals';
import { decideOutcome, withoutSource } from './job-outcome.js';

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
