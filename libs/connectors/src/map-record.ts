import {
  type FieldSource,
  machineClassifications,
  parseDate,
  type RecordKind,
  recordFields,
  type SourceRecord,
} from '@idsync/contracts';
import { NotTransformable, valuesFrom } from './transform.js';

const maxValueBytes = 16 * 1024;
/** PostgreSQL's indexes take 2 704 bytes; the rest is the connector's id. */
const maxExternalIdBytes = 1024;

export interface Mapping {
  kind: RecordKind;
  /** The source's name of what identifies a record. */
  externalId: string;
  /** Our field to where its values come from. */
  fields: Readonly<Record<string, FieldSource>>;
  /** Splits the values of list fields, where a source has one value for a whole list. */
  listSeparator?: string;
}

export type MappedRecord = { record: SourceRecord } | { error: { external_id?: string; message: string } };

class Unusable extends Error {}

/** Makes a record of one entry's values. `valuesOf` gives the values under a name of the source, none if it has none. */
export function mapRecord(mapping: Mapping, valuesOf: (name: string) => readonly string[]): MappedRecord {
  let externalId: string | undefined;
  try {
    externalId = externalIdOf(mapping.externalId, valuesOf);
    const fields: SourceRecord['fields'] = {};
    for (const [field, source] of Object.entries(mapping.fields)) {
      fields[field] = fieldValues(mapping, field, present(transformed(field, source, valuesOf)));
    }
    return { record: { external_id: externalId, fields } };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { error: { ...(externalId !== undefined && { external_id: externalId }), message: error.message } };
  }
}

function externalIdOf(name: string, valuesOf: (name: string) => readonly string[]): string {
  const [id] = present(valuesOf(name));
  if (id === undefined) throw new Unusable(`${name} (external_id) is missing`);
  if (Buffer.byteLength(id) > maxExternalIdBytes) {
    throw new Unusable(`${name} (external_id) is longer than ${maxExternalIdBytes} bytes`);
  }
  requireStorable(`${name} (external_id)`, id);
  return id;
}

/** PostgreSQL keeps no NUL, and UTF-8 has no half of a character; JSON can write both. */
function requireStorable(field: string, value: string): void {
  if (/[\0\p{Surrogate}]/u.test(value)) throw new Unusable(`${field} contains a NUL or half of a character`);
}

function transformed(
  field: string,
  source: FieldSource,
  valuesOf: (name: string) => readonly string[],
): readonly string[] {
  try {
    return valuesFrom(source, (name) => {
      const values = valuesOf(name);
      // A step that fails shows the value.
      if (typeof source !== 'string') for (const value of values) requireStorable(field, value);
      return values;
    });
  } catch (error) {
    if (error instanceof NotTransformable) throw new Unusable(`${field} ${error.message}`);
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
    if (Buffer.byteLength(value) > maxValueBytes) throw new Unusable(`${field} is longer than 16 KiB`);
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
    if (!iso) throw new Unusable(`${field} ${quote(value)} is not a date (ISO 8601 or GeneralizedTime)`);
    return [iso];
  }
  if (includes(integer, field)) {
    if (!/^\d{1,3}$/.test(value) || Number(value) > 100) {
      throw new Unusable(`${field} ${quote(value)} is not an integer from 0 to 100`);
    }
    return [String(Number(value))];
  }
  return [value];
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function oneOf(allowed: readonly string[], field: string, value: string): string {
  const lower = value.toLowerCase();
  if (!allowed.includes(lower)) throw new Unusable(`${field} ${quote(value)} is not one of ${allowed.join(', ')}`);
  return lower;
}

function quote(value: string): string {
  return `"${value.length > 60 ? `${value.slice(0, 60)}…` : value}"`;
}
