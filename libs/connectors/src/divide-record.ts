import type { RecordError, SourceRecord } from '@idsync/contracts';
import type { ReadRecord } from './connector.js';

/** Divides a record into what the directory applies and the errors of its fields. */
export function divideRecord({ problems = [], looksLikeMachine: _, spelling: __, ...record }: ReadRecord): {
  record: SourceRecord;
  errors: RecordError[];
} {
  if (problems.length === 0) return { record, errors: [] };
  return {
    record: { ...record, kept: problems.map(({ field }) => field) },
    errors: problems.map((problem) => ({ external_id: record.external_id, ...problem })),
  };
}
