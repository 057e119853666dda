import { recordWeight, volumeLimits } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { divideByWeight } from './divide-by-weight.js';

const recordOf = (id: number, bytes: number) => ({ external_id: `r${id}`, fields: { job_title: ['x'.repeat(bytes)] } });

describe('divideByWeight', () => {
  it('returns one batch for records of usual size', () => {
    const records = Array.from({ length: 1_000 }, (_, id) => recordOf(id, 500));
    expect(divideByWeight(records)).toEqual([records]);
  });

  it('divides records in order into batches within the weight limit or with one record', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4_000)), fc.integer({ min: 2_000, max: 20_000 }), (sizes, most) => {
        const records = sizes.map((bytes, id) => recordOf(id, bytes));
        const batches = divideByWeight(records, most);
        expect(batches.flat()).toEqual(records);
        for (const batch of batches) {
          const weight = batch.reduce((sum, { fields }) => sum + recordWeight(fields), 0);
          expect(batch.length === 1 || weight <= most).toBe(true);
        }
      }),
    );
  });

  it('returns several batches for a page of the largest allowed records', () => {
    const records = Array.from({ length: 100 }, (_, id) => recordOf(id, 256 * 1_024));
    const batches = divideByWeight(records);
    expect(batches.length).toBeGreaterThan(1);
    for (const batch of batches) expect(batch.length * 256 * 1_024).toBeLessThanOrEqual(volumeLimits.batchWeight);
  });
});
