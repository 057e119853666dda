import type { RecordError, SourceRecord } from '@idsync/contracts';
import type { ReadRecord } from './connector.js';

/** An error of one field; the record is applied, and keeps the values that it has. */
export interface FieldError extends RecordError {
  field: string;
  external_id: string;
}

/** Divides a record into what the directory applies and the errors of its fields. */
export function divideRecord({ problems = [], ...record }: ReadRecord): { record: SourceRecord; errors: FieldError[] } {
  if (problems.length === 0) return { record, errors: [] };
  return {
    record: { ...record, kept: problems.map(({ field }) => field) },
    errors: problems.map((problem) => ({ external_id: record.external_id, ...problem })),
  };
}
