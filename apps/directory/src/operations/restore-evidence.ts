import type { LinkEvidence, StoredRecord } from '@idsync/database/directory';
import { shownValue } from '../matching/fuzzy-evidence.js';

/** Returns evidence as an operation keeps it for a revert: without values, so that an erasure leaves none there. */
export function withoutValues({ values, ...evidence }: LinkEvidence): LinkEvidence {
  return { ...evidence, ...(values && { values: values.map(({ field }) => ({ field })) }) };
}

/** Returns the evidence of a restored link with the values that the records have now. */
export function withValues(
  { identity_id: _, values, ...evidence }: LinkEvidence,
  { fields }: StoredRecord,
  records: ReadonlyMap<string, StoredRecord>,
): Omit<LinkEvidence, 'identity_id'> {
  const other = evidence.record_id === undefined ? undefined : records.get(evidence.record_id);
  const shown = values?.map(({ field }) => ({
    field,
    value: shownValue(fields, field),
    ...(other && { other: shownValue(other.fields, field) }),
  }));
  return { ...evidence, ...(shown && { values: shown }) };
}
