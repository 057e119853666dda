import { z } from 'zod';
import { matchingKeys, type RecordKind, recordFields } from './fixed-values.js';

/** Values of one match key that link a record. Each of them is a lookup, and further ones are ignored. */
export const mostKeyValues = 20;

/** Begins the name of a field of custom attributes. */
export const attributePrefix = 'attributes.';
/** Names the attribute by which a person or account looks like a machine. */
export const machineAttributeField = 'attributes.machine_attribute';
/** `attributes.<name>`: custom attributes in addition to the specified fields. */
export const attributeFieldPattern = /^attributes\.[a-z][a-z0-9_]{0,62}$/;

/** The fields that are attributes of a person. Other lists are shown with the user only. */
export const personFields: ReadonlySet<string> = new Set([
  ...matchingKeys,
  'other_emails',
  ...recordFields.user.text,
  ...recordFields.user.date,
]);

/** True if `field` may be the target of a mapping for records of this kind. */
export function isMappableField(kind: RecordKind, field: string): boolean {
  const known = recordFields[kind];
  return (
    field === 'status' ||
    (matchingKeys as readonly string[]).includes(field) ||
    [known.text, known.list, known.date, known.integer].some((names) => (names as readonly string[]).includes(field)) ||
    attributeFieldPattern.test(field)
  );
}

/** Identifier of a record in its source. */
const externalId = z.string().min(1).max(1024);

/** A group of a record: its key in the source, and the name that the source or the mapping gives it. */
const membership = z.object({ id: externalId, name: z.string() });
export type Membership = z.infer<typeof membership>;

/**
 * One record as a connector returns it. `fields` maps a field name to its values, all as text. An absent field makes no
 * statement; an empty list clears this source's value. Dates are ISO 8601 UTC, integers decimal digits.
 */
export const sourceRecord = z.object({
  external_id: externalId,
  fields: z.record(z.string(), z.array(z.string())),
  /** The groups that `fields.groups` names, if their source has keys for them; otherwise the name is the key. */
  memberships: z.array(membership).optional(),
  /** Fields whose values in the source cannot be used, so that the record keeps the stored values. */
  kept: z.array(z.string()).optional(),
  /** The source reports the record as deleted; `fields` is empty then. Only incremental runs and record jobs set it. */
  removed: z.literal(true).optional(),
  /** The line of a user without a name, for the error if it has no match key either. */
  line: z.int().min(0).optional(),
});
export type SourceRecord = z.infer<typeof sourceRecord>;

/** A record, or a field of it, that could not be read or mapped; the run continues with the other records. */
export interface RecordError {
  /** Set if the record itself is not left out; `external_id` for an entry that a later one replaces. */
  field?: string;
  /** Absent if the source has no lines and was asked for this record alone. */
  line?: number;
  external_id?: string;
  /** Written by idsync, without any value of the record, since every key that may read the job sees it. */
  message: string;
  /** Source value or text that caused the error. Operators see it after `sourceText` has redacted it. */
  said?: string;
  /** The unreadable part may contain other records, so their absence does not prove a deletion. */
  hides_others?: true;
}
