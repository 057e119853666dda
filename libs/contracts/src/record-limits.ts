const KiB = 1_024;
const MiB = 1_024 * KiB;

/** Size limits of a record, for all connectors, for SCIM push and for the documentation. */
export const recordLimits = {
  /** Bytes of one value in UTF-8. */
  valueBytes: 16 * KiB,
  /** Values of one field. */
  fieldValues: 1_000,
  /** Fields in a mapping. */
  fields: 250,
  /** Values of a record, over all of its fields. */
  values: 4_000,
  /** Bytes of all values of a record, written as JSON. */
  bytes: 256 * KiB,
} as const;

/**
 * Amount of records and documents that one process handles at a time. Measured with the memory limits of the Compose
 * file.
 */
export const volumeLimits = {
  /** Weight of the records of one batch. A batch holds at least one record. */
  batchWeight: 8 * MiB,
  /** Weight of stored records that a part of a batch may load; a larger part is divided. */
  loadWeight: 24 * MiB,
  /** Weight of stored records that a single record may load; a record that needs more is left out. */
  loadWeightOfOne: 64 * MiB,
  /** Weight of all records linked to one identity. */
  identityWeight: 16 * MiB,
  /** Bytes of an identity's attributes in its document, and again of its nested records. */
  attributeBytes: 512 * KiB,
  nestedBytes: 512 * KiB,
  /** Bytes of all values in the `changes` of one event, written as JSON. */
  changeBytes: 64 * KiB,
  /** Bytes of the items of one page. A page holds at least one item. */
  pageBytes: 4 * MiB,
} as const;

/** Estimated cost of a record and of a value beside their text: ids, names and times in rows, documents and events. */
const recordOverhead = 1_024;
const valueOverhead = 256;

type Fields = Readonly<Record<string, readonly string[]>>;

/** Estimates the bytes that a record takes in documents and rows. */
export function recordWeight(fields: Fields): number {
  let weight = recordOverhead;
  for (const values of Object.values(fields)) {
    for (const value of values) weight += valueOverhead + value.length;
  }
  return weight;
}

/**
 * Describes why a record exceeds the limits, or returns undefined if it does not. Fields are checked in the order of
 * the mapping.
 */
export function whyTooLarge(fields: Fields): string | undefined {
  let count = 0;
  let units = 0;
  let fieldCount = 0;
  for (const [field, values] of Object.entries(fields)) {
    if (values.length > recordLimits.fieldValues) {
      return `${field} has ${formatCount(values.length)} values, ${formatCount(recordLimits.fieldValues)} are allowed`;
    }
    fieldCount += 1;
    count += values.length;
    for (const value of values) units += value.length;
  }
  if (count > recordLimits.values) {
    return `the record has ${formatCount(count)} values, ${formatCount(recordLimits.values)} are allowed`;
  }
  // JSON takes at most six bytes for a UTF-16 unit, so most records need no serialization.
  if (6 * units + 3 * (count + fieldCount + 1) <= recordLimits.bytes) return undefined;
  const bytes = jsonBytes(Object.values(fields));
  return bytes > recordLimits.bytes
    ? `the record has ${formatCount(bytes)} bytes of values, ${formatCount(recordLimits.bytes)} are allowed`
    : undefined;
}

/** Formats a count with spaces between thousands: "20 000". */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US').replaceAll(',', ' ');
}

/** Size of a value as JSON, in UTF-8 bytes. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
