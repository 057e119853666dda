import {
  comparedText,
  type FieldSource,
  type Membership,
  machineClassifications,
  matchingKeys,
  mostKeyValues,
  parseDay,
  type RecordError,
  type RecordKind,
  recordFields,
  recordLimits,
  type SourceRecord,
  whyTooLarge,
} from '@idsync/contracts';
import type { FieldProblem, ReadRecord } from './connector.js';
import { standsForNoDate } from './date-forms.js';
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
 * Throws Unusable if they cannot be read.
 */
export type ValuesOf = (name: string, forOne?: boolean) => Values;

/** Values of a source field: of groups those that the source has keys for, whose names are the values. */
export type Values = readonly string[] & { readonly groups?: readonly Membership[] };

/** Returns the names of groups, which a mapping reads like any values. */
export function namesOf(groups: readonly Membership[]): Values {
  const sorted = [...groups].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.assign(
    sorted.map(({ name }) => name),
    { groups: sorted },
  );
}

export type MappedRecord = { record: ReadRecord } | { error: Pick<RecordError, 'external_id' | 'message' | 'said'> };

/** A value that cannot be used. Separates the rejected value (`said`) from the message, as every record error does. */
export class Unusable extends Error {
  constructor(
    message: string,
    readonly said?: string,
  ) {
    super(message);
  }
}

/** A value without which the whole record cannot be used. */
class UnusableRecord extends Unusable {}

/**
 * Maps one source entry to a record. A field with an unusable value is left out; without a usable status, or beyond a
 * size limit, the whole record is unusable.
 */
export function mapRecord(mapping: Mapping, valuesOf: ValuesOf): MappedRecord {
  let externalId: string | undefined;
  try {
    const spelling = externalIdOf(mapping.externalId, valuesOf);
    externalId = comparedText(spelling);
    const fields: SourceRecord['fields'] = {};
    const problems: FieldProblem[] = [];
    let memberships: Membership[] | undefined;
    for (const { field, source, forOne, hasOthers, read } of targetsOf(mapping)) {
      try {
        const found = present(
          typeof source === 'string' ? valuesOf(source, forOne) : transformed(source, (name) => valuesOf(name, forOne)),
        );
        const values = field === 'email' ? emailsIn(found) : found;
        // A value that is not stored must not make the field unusable.
        fields[field] = read(usable(forOne && values.length > 1 ? values.slice(0, 1) : values));
        if (field === 'groups') memberships = membershipsIn(source, valuesOf);
        const others = hasOthers ? otherEmails(values) : [];
        if (others.length > 0) fields.other_emails = others;
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        const { message, said } = error;
        const problem = { field, message: `${field} ${message}`, ...(said !== undefined && { said }) };
        // A new record without its status would be active, so a status that cannot be read must not be left out.
        if (error instanceof UnusableRecord || field === 'status') throw new UnusableRecord(problem.message, said);
        problems.push(problem);
      }
    }
    if (fields.other_emails && fields.email) fields.other_emails = without(fields.other_emails, fields.email[0]);
    const tooLarge = whyTooLarge(fields);
    if (tooLarge !== undefined) throw new UnusableRecord(tooLarge);
    return {
      record: {
        external_id: externalId,
        ...(spelling !== externalId && { spelling }),
        fields,
        ...(memberships && { memberships }),
        ...(problems.length > 0 && { problems }),
      },
    };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const { message, said } = error;
    const named = externalId !== undefined && { external_id: externalId };
    return { error: { ...named, message, ...(said !== undefined && { said }) } };
  }
}

/**
 * Returns the groups with the names that the mapping gives them; undefined if the source has no keys, or a key cannot be
 * stored, or the mapping makes several names of one.
 */
function membershipsIn(source: FieldSource, valuesOf: ValuesOf): Membership[] | undefined {
  if (typeof source !== 'string' && 'value' in source) return undefined;
  const { groups } = valuesOf(typeof source === 'string' ? source : source.from);
  if (!groups?.every(({ id }) => id !== '' && isStorable(id) && !isLongerThan(id, maxExternalIdBytes)))
    return undefined;
  const named = groups.map(({ id, name }) => {
    const names = present(typeof source === 'string' ? [name] : transformed(source, () => [name]));
    return { id, names };
  });
  if (named.some(({ names }) => names.length > 1)) return undefined;
  return named.flatMap(({ id, names: [name] }) => (name === undefined ? [] : { id, name }));
}

interface Target {
  field: string;
  source: FieldSource;
  /** True if the field takes one of the values. */
  forOne: boolean;
  /** True if further values are other addresses. */
  hasOthers: boolean;
  /** Reads the values. Throws Unusable if they cannot be read. */
  read: (values: string[]) => string[];
}

const targets = new WeakMap<Mapping, readonly Target[]>();

/** Returns the fields of a mapping. They are the same for every entry of a source, of which there can be millions. */
function targetsOf(mapping: Mapping): readonly Target[] {
  const known = targets.get(mapping);
  if (known) return known;
  const found = Object.entries(mapping.fields).map(([field, source]) => ({
    field,
    source: field === 'status' ? statusSource(mapping.kind, source) : source,
    forOne: !isList(mapping.kind, field),
    hasOthers: field === 'email' && !('other_emails' in mapping.fields),
    read: readerOf(mapping, field),
  }));
  targets.set(mapping, found);
  return found;
}

/** Names of attributes whose value true means active: `active`, `accountEnabled`, but not `inactive`. */
const saysActive = /(?<!in|de|not.?)(?:active|aktiv|enabled)["\]]*$/i;

/** Maps the booleans of an attribute as the default mappings of SCIM and Entra ID do. */
function statusSource(kind: RecordKind, source: FieldSource): FieldSource {
  if (typeof source !== 'string' || !saysActive.test(source.trim())) return source;
  const off = kind === 'user' ? 'inactive' : 'disabled';
  return { from: source, transform: [{ map: { true: 'active', 1: 'active', false: off, 0: off } }] };
}

/** Maps the entry at a line, which is added to its problems. */
export function mapRecordAt(
  line: number,
  mapping: Mapping,
  valuesOf: ValuesOf,
): { record: ReadRecord } | { error: RecordError } {
  const mapped = mapRecord(mapping, valuesOf);
  if ('error' in mapped) return { error: { line, ...mapped.error } };
  const { problems, ...rest } = mapped.record;
  const record = mapping.kind === 'user' && isNameless(rest) ? { ...rest, line } : rest;
  if (!problems) return { record };
  return { record: { ...record, problems: problems.map((problem) => ({ ...problem, line })) } };
}

const names = ['display_name', 'first_name', 'last_name'];
const identifying = [...names, ...matchingKeys];

/** Returns true for a user that has no name, of a mapping by which it can have a name or a key. */
function isNameless({ fields }: SourceRecord): boolean {
  return identifying.some((field) => field in fields) && names.every((name) => !fields[name]?.length);
}

/**
 * Returns email addresses without the type that Exchange writes: `SMTP:` for the primary one, which comes first, and
 * `smtp:` for others, or of a link (`mailto:`). Values of other types, such as `X500:`, are no email addresses.
 */
function emailsIn(values: string[]): string[] {
  if (!values.some((value) => value.includes(':'))) return values;
  const emails = values.filter((value) => !/^(?!smtp:|mailto:)[a-z][\w-]*:/i.test(value));
  const order = (value: string) => (value.startsWith('SMTP:') ? 0 : 1);
  return emails.sort((a, b) => order(a) - order(b)).map((value) => value.replace(/^(smtp|mailto):/i, ''));
}

function without(emails: readonly string[], email = ''): string[] {
  return emails.filter((each) => each.toLowerCase() !== email.toLowerCase());
}

/** Returns the further values of a multi-valued mail, which are match keys too. Sorted, because they have no order. */
function otherEmails([first, ...others]: readonly string[]): string[] {
  const usable = others.filter((value) => value !== first && isStorable(value) && !isTooLong(value));
  return [...new Set(usable)].sort().slice(0, mostKeyValues);
}

/** An external id must not change, so it is the first value, preferred or not. */
function externalIdOf(name: string, valuesOf: ValuesOf): string {
  try {
    const [id] = present(valuesOf(name));
    if (id === undefined || comparedText(id) === '') throw new Unusable('is missing');
    if (isLongerThan(id, maxExternalIdBytes) || isLongerThan(comparedText(id), maxExternalIdBytes)) {
      throw new Unusable(`is longer than ${maxExternalIdBytes} bytes`);
    }
    requireStorable(id);
    return id;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new UnusableRecord(`${name} (external_id) ${error.message}`, error.said);
  }
}

/**
 * JSON can contain NUL characters, which PostgreSQL cannot store, and unpaired surrogates, which UTF-8 cannot encode.
 */
function requireStorable(value: string): void {
  if (!isStorable(value)) throw new Unusable('contains a NUL character or an unpaired surrogate');
}

function isStorable(value: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(value);
}

function isTooLong(value: string): boolean {
  return isLongerThan(value, recordLimits.valueBytes);
}

/** A UTF-16 unit takes at most three bytes, so most values need not be measured. */
function isLongerThan(value: string, bytes: number): boolean {
  return 3 * value.length > bytes && Buffer.byteLength(value) > bytes;
}

function transformed(source: FieldSource, valuesOf: (name: string) => readonly string[]): readonly string[] {
  try {
    return valuesFrom(source, (name) => {
      const values = valuesOf(name);
      // A failing transform reports the value.
      for (const value of values) requireStorable(value);
      return values;
    });
  } catch (error) {
    if (error instanceof NotTransformable) throw new Unusable(error.message, error.value);
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

function usable(values: string[]): string[] {
  for (const value of values) {
    if (isTooLong(value)) {
      throw new UnusableRecord(`is longer than ${recordLimits.valueBytes / 1_024} KiB`);
    }
    requireStorable(value);
  }
  return values;
}

function readerOf({ kind, listSeparator }: Mapping, field: string): Target['read'] {
  const { list, date, integer, status } = recordFields[kind];
  if (field.startsWith('attributes.')) return (values) => values;
  if (includes(list, field)) {
    const split = (values: string[]) =>
      listSeparator ? present(values.flatMap((value) => value.split(listSeparator))) : values;
    return field === 'other_emails' ? (values) => emailsIn(split(values)) : split;
  }
  const one = (read: (value: string) => string | undefined) => (values: string[]) => {
    const [value] = values;
    const found = value === undefined ? undefined : read(value);
    return found === undefined ? [] : [found];
  };
  if (field === 'status') return one((value) => oneOf(status, value));
  if (field === 'classification') return one((value) => oneOf(machineClassifications, value));
  if (includes(date, field)) return one(readDate);
  if (includes(integer, field)) return one(readInteger);
  return (values) => values;
}

/** Returns no date for a value that means "no date". */
function readDate(value: string): string | undefined {
  if (standsForNoDate(value)) return undefined;
  const iso = parseDay(value);
  if (iso) return iso;
  throw new Unusable('is not a date (ISO 8601 or GeneralizedTime)', value);
}

function readInteger(value: string): string {
  if (!/^\d{1,3}$/.test(value) || Number(value) > 100) throw new Unusable('is not an integer from 0 to 100', value);
  return String(Number(value));
}

function isList(kind: RecordKind, field: string): boolean {
  return field.startsWith('attributes.') || includes(recordFields[kind].list, field);
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function oneOf(allowed: readonly string[], value: string): string {
  const lower = value.toLowerCase();
  if (!allowed.includes(lower)) throw new Unusable(`is not one of ${allowed.join(', ')}`, value);
  return lower;
}
