import type { FieldChange } from '@idsync/contracts';

type Fields = Readonly<Record<string, readonly string[]>>;

/** What changed between two states of a source's fields, by field name in order; `source` is the connector's public id. */
export function diffFields(before: Fields, after: Fields, source: string): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((field) => {
    const from = before[field];
    const to = after[field];
    if (equal(from, to)) return [];
    return [{ field, ...(from && { from: shown(from) }), ...(to && { to: shown(to) }), source }];
  });
}

function equal(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((value, at) => value === b[at]);
}

function shown(values: readonly string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : [...values];
}
