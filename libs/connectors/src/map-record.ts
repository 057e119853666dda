import {
  type FieldSource,
  machineClassifications,
  parseDate,
  type RecordError,
  type RecordKind,
  recordFields,
  recordLimits,
  type SourceRecord,
  whyTooLarge,
} from '@idsync/contracts';
import { NotTransformable, valuesFrom } from './transform.js';

/** A PostgreSQL index entry has at most 2 704 bytes and also contains the connector id. */
const maxExternalIdBytes = 1024;

export interface Mapping {
  kind: RecordKind;
  /** The source field that identifies a record. */
  externalId: string;
  /** The source of each target field. */
  fields: Readonly<Record<string, FieldSource>>;
  /** Splits the values of list fields, for sources that write a list as one value. */
  listSeparator?: string;
}

/**
 * Returns the values of a source field. With `forOne` the field takes one of them, so the preferred value comes first.
 */
export type ValuesOf = (name: string, forOne?: boolean) => readonly string[];

export type MappedRecord = { record: SourceRecord } | { error: Pick<RecordError, 'external_id' | 'message' | 'said'> };

/** Separates the rejected value (`said`) from the message, as every record error does. */
class Unusable extends Error {
  constructor(
    message: string,
    readonly said?: string,
  ) {
    super(message);
  }
}

/** Maps one source entry to a record. */
export function mapRecord(mapping: Mapping, valuesOf: ValuesOf): MappedRecord {
  let externalId: string | undefined;
  try {
    externalId = externalIdOf(mapping.externalId, valuesOf);
    const fields: SourceRecord['fields'] = {};
    for (const [field, source] of Object.entries(mapping.fields)) {
      const forOne = !isList(mapping.kind, field);
      const values = present(transformed(field, source, (name) => valuesOf(name, forOne)));
      // A value that is not stored must not make the record unusable.
      fields[field] = fieldValues(mapping, field, forOne ? values.slice(0, 1) : values);
    }
    const tooLarge = whyTooLarge(fields);
    if (tooLarge !== undefined) throw new Unusable(tooLarge);
    return { record: { external_id: externalId, fields } };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const { message, said } = error;
    const named = externalId !== undefined && { external_id: externalId };
    return { error: { ...named, message, ...(said !== undefined && { said }) } };
  }
}

/** An external id must not change, so it is the first value, preferred or not. */
function externalIdOf(name: string, valuesOf: ValuesOf): string {
  const [id] = present(valuesOf(name));
  if (id === undefined) throw new Unusable(`${name} (external_id) is missing`);
  if (Buffer.byteLength(id) > maxExternalIdBytes) {
    throw new Unusable(`${name} (external_id) is longer than ${maxExternalIdBytes} bytes`);
  }
  requireStorable(`${name} (external_id)`, id);
  return id;
}

/**
 * JSON can contain NUL characters, which PostgreSQL cannot store, and unpaired surrogates, which UTF-8 cannot encode.
 */
function requireStorable(field: string, value: string): void {
  if (/[\0\p{Surrogate}]/u.test(value))
    throw new Unusable(`${field} contains a NUL character or an unpaired surrogate`);
}

function transformed(
  field: string,
  source: FieldSource,
  valuesOf: (name: string) => readonly string[],
): readonly string[] {
  try {
    return valuesFrom(source, (name) => {
      const values = valuesOf(name);
      // A failing transform reports the value.
      if (typeof source !== 'string') for (const value of values) requireStorable(field, value);
      return values;
    });
  } catch (error) {
    if (error instanceof NotTransformable) throw new Unusable(`${field} ${error.message}`, error.value);
    throw error;
  }
}

function present(values: readonly string[]): string[] {
  const found: string[] = [];
  for (const value of values) {
    const trimmed = value.trim();
    if (trimmed !== '') found.push(trimmed);
  }
  return found;
}

function fieldValues({ kind, listSeparator }: Mapping, field: string, values: string[]): string[] {
  for (const value of values) {
    if (Buffer.byteLength(value) > recordLimits.valueBytes) {
      throw new Unusable(`${field} is longer than ${recordLimits.valueBytes / 1_024} KiB`);
    }
    requireStorable(field, value);
  }
  const { list, date, integer, status } = recordFields[kind];
  if (field.startsWith('attributes.')) return values;
  if (includes(list, field)) return listSeparator ? present(values.flatMap((v) => v.split(listSeparator))) : values;
  const [value] = values;
  if (value === undefined) return [];
  if (field === 'status') return [oneOf(status, field, value)];
  if (field === 'classification') return [oneOf(machineClassifications, field, value)];
  if (includes(date, field)) {
    const iso = parseDate(value);
    if (!iso) throw new Unusable(`${field} is not a date (ISO 8601 or GeneralizedTime)`, value);
    return [iso];
  }
  if (includes(integer, field)) {
    if (!/^\d{1,3}$/.test(value) || Number(value) > 100) {
      throw new Unusable(`${field} is not an integer from 0 to 100`, value);
    }
    return [String(Number(value))];
  }
  return [value];
}

function isList(kind: RecordKind, field: string): boolean {
  return field.startsWith('attributes.') || includes(recordFields[kind].list, field);
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function oneOf(allowed: readonly string[], field: string, value: string): string {
  const lower = value.toLowerCase();
  if (!allowed.includes(lower)) throw new Unusable(`${field} is not one of ${allowed.join(', ')}`, value);
  return lower;
}
