import { recordWeight, type SourceRecord, volumeLimits } from '@idsync/contracts';

/**
 * Divides the records of a page, in order, into batches that fit into the directory's memory. A batch has at least one
 * record.
 */
export function divideByWeight(
  records: readonly SourceRecord[],
  maxWeight: number = volumeLimits.batchWeight,
): SourceRecord[][] {
  const batches: SourceRecord[][] = [];
  let weight = 0;
  for (const record of records) {
    const own = recordWeight(record.fields);
    const current = batches.at(-1);
    if (current && weight + own <= maxWeight) {
      current.push(record);
      weight += own;
    } else {
      batches.push([record]);
      weight = own;
    }
  }
  return batches;
}
