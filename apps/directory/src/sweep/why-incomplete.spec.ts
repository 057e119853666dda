import { describe, expect, it } from '@jest/globals';
import { reportsDeletions, whyIncomplete } from './run-counts.js';

const job = {
  id: 'j',
  status: 'running' as const,
  connectorId: 'c',
  kind: 'user' as const,
  dryRun: false,
  mode: 'full' as const,
  released: false,
  batchesTotal: 3,
  recordsRead: 30,
  recordsApplied: 30,
  recordsFailed: 0,
  recordsRetried: 0,
  retires: false,
};
const proof = { batches: 3, errorsKept: 0, errorsUnnamed: 0 };

describe('whyIncomplete', () => {
  it('returns undefined if every batch and every record is accounted for', () => {
    expect(whyIncomplete(job, proof)).toBeUndefined();
    expect(
      whyIncomplete({ ...job, batchesTotal: 0, recordsRead: 0, recordsApplied: 0 }, { ...proof, batches: 0 }),
    ).toBe(undefined);
  });

  it('returns a reason if a batch or a record is missing, or the run is incomplete', () => {
    expect(whyIncomplete(job, { ...proof, batches: 2 })).toMatch(/accounted for/);
    expect(whyIncomplete({ ...job, recordsApplied: 29 }, proof)).toMatch(/accounted for/);
    expect(whyIncomplete({ ...job, batchesTotal: null }, proof)).toMatch(/accounted for/);
  });

  it('returns a reason if a skipped record has no id', () => {
    const failed = { ...job, recordsApplied: 28, recordsFailed: 2 };
    expect(whyIncomplete(failed, { ...proof, errorsKept: 2 })).toBeUndefined();
    expect(whyIncomplete(failed, { ...proof, errorsKept: 2, errorsUnnamed: 1 })).toMatch(/1 record without an id/);
    expect(whyIncomplete(failed, { ...proof, errorsKept: 1 })).toMatch(/too many/);
  });
});

describe('a record that a run does not list', () => {
  it.each([
    ['full', false],
    ['changes', true],
    ['record', true],
  ] as const)('in mode %s is kept unless its deletion is reported: %s', (mode, expected) => {
    expect(reportsDeletions({ mode })).toBe(expected);
  });
});
