import { parseDate } from '@idsync/contracts';
import { type Column, type ColumnKind, maxTextLength } from './session.js';

/** The values that the text of one column of a row stands for; none for NULL. Dates are ISO 8601, in UTC. */
export function columnValues(column: Column, text: string | null): readonly string[] {
  if (text === null) return [];
  // Cut off: too long for any field, which says so.
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

/** True for what marks a row as deleted: one of the values if there are any, else true, not 0, or any date or text. */
export function marksDeleted(column: Column, text: string | null, values: readonly string[] | undefined): boolean {
  if (text === null) return false;
  if (values) return values.includes(text.trim());
  if (column.kind === 'boolean') return /^t/i.test(text);
  if (column.kind === 'number') return Number(text) !== 0;
  return text.trim() !== '' && !isZeroDate(column, text);
}

/** What MySQL has instead of no date. */
function isZeroDate({ kind }: Column, text: string): boolean {
  return (kind === 'date' || kind === 'time') && text.startsWith('0000-00-00');
}

function plainValue(kind: ColumnKind, text: string): string {
  if (kind === 'boolean') return /^t/i.test(text) ? 'true' : 'false';
  // Infinity, and years of five digits, stay what they are.
  if (kind === 'time') return parseDate(text) ?? text;
  if (kind === 'bytes') return text.replace(/^\\x/, '');
  if (kind === 'uuid_bytes') return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return text;
}

/** Of PostgreSQL's text form of an array, however deep: `{a,"b \"c\"",NULL}`. */
function arrayElements(text: string): string[] {
  // Arrays that do not begin at 1 say where.
  const braces = text.slice(text.indexOf('{'));
  const elements: string[] = [];
  for (const [token, quoted] of braces.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},]+/gs)) {
    if (quoted !== undefined) elements.push(quoted.replace(/\\(.)/gs, '$1'));
    else if (token !== 'NULL') elements.push(token);
  }
  return elements;
}

/** A list of plain values is their list, a plain value itself; anything else stays JSON. */
function jsonValues(text: string): string[] {
  // Numbers become text first: as JavaScript's they would lose digits.
  const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs, (token) =>
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
