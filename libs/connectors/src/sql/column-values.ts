import { parseDate } from '@idsync/contracts';
import { standsForNoDate } from '../date-forms.js';
import { type Column, type ColumnKind, maxTextLength } from './session.js';

/** Converts the text of a column to values; none for NULL. Dates become ISO 8601 in UTC. */
export function columnValues(column: Column, text: string | null): readonly string[] {
  if (text === null) return [];
  // Truncated text is returned as is, because it is too long for any field and is rejected there.
  if (text.length >= maxTextLength(column)) return [text];
  switch (column.kind) {
    case 'array':
      return arrayElements(text).map((element) => plainValue(column.element ?? 'text', element));
    case 'json':
      return jsonValues(text);
    case 'set':
      return text.split(',');
    default:
      return isZeroDate(column, text) ? [] : [plainValue(column.kind, text)];
  }
}

/**
 * Returns whether a value marks a row as deleted: one of `values` if given, otherwise true, not 0, or any real date or text.
 */
export function marksDeleted(column: Column, text: string | null, values: readonly string[] | undefined): boolean {
  if (text === null) return false;
  if (values) return values.includes(text.trim());
  if (column.kind === 'boolean') return /^t/i.test(text);
  if (column.kind === 'number') return Number(text) !== 0;
  const isDate = column.kind === 'date' || column.kind === 'time';
  return text.trim() !== '' && !(isDate && standsForNoDate(text));
}

/** Detects the zero date, which MySQL stores for a missing date. */
function isZeroDate({ kind }: Column, text: string): boolean {
  return (kind === 'date' || kind === 'time') && text.startsWith('0000-00-00');
}

function plainValue(kind: ColumnKind, text: string): string {
  if (kind === 'boolean') return /^t/i.test(text) ? 'true' : 'false';
  // Infinity and years of five digits stay unchanged.
  if (kind === 'time') return parseDate(text) ?? text;
  if (kind === 'bytes') return text.replace(/^\\x/, '');
  if (kind === 'uuid_bytes') return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return text;
}

/** Parses the text form of a PostgreSQL array of any depth: `{a,"b \"c\"",NULL}`. */
function arrayElements(text: string): string[] {
  // Arrays with a lower bound other than 1 have a prefix.
  const braces = text.slice(text.indexOf('{'));
  const elements: string[] = [];
  for (const [token, quoted] of braces.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},]+/gs)) {
    if (quoted !== undefined) elements.push(quoted.replace(/\\(.)/gs, '$1'));
    else if (token !== 'NULL') elements.push(token);
  }
  return elements;
}

/** Returns the values of a flat list or a scalar. Any other JSON stays text. */
function jsonValues(text: string): string[] {
  // Numbers become text first, because JavaScript numbers would lose digits.
  const exact = text.replace(/"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
  let value: unknown;
  try {
    value = JSON.parse(exact);
  } catch {
    return [text];
  }
  const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== null);
  return values.every((one) => typeof one !== 'object') ? values.map(String) : [text];
}
