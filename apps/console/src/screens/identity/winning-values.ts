import type { Change } from '../../components/values';
import type { Identity } from '../../data/api';

export interface WinningValue {
  field: string;
  values: string[];
  sourceId: string;
  at: string;
}

/** The values that won in an identity: those of the first source of each field, as the service lists them. */
export function winningValues({ attributes }: Pick<Identity, 'attributes'>): WinningValue[] {
  const fields = new Map<string, WinningValue>();
  for (const { field_name: field, field_value, source_id: sourceId, updated_at: at } of sorted(attributes)) {
    const known = fields.get(field);
    if (!known) fields.set(field, { field, values: [field_value], sourceId, at });
    else if (known.sourceId === sourceId) known.values.push(field_value);
  }
  return [...fields.values()];
}

function sorted(attributes: Identity['attributes']): Identity['attributes'] {
  return attributes.toSorted((a, b) => a.priority - b.priority);
}

/** Changes of an identity between two moments, by field. */
export function changesBetween(earlier: Identity, later: Identity): Change[] {
  const before = textsOf(earlier);
  const after = textsOf(later);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((field) => before.get(field) !== after.get(field))
    .sort()
    .map((field) => ({ field, from: before.get(field), to: after.get(field) }));
}

function textsOf(identity: Identity): Map<string, string> {
  const values = winningValues(identity).map(({ field, values }): [string, string] => [field, values.join(', ')]);
  const records = [...identity.users, ...identity.accounts].map(({ external_id }) => external_id).sort();
  return new Map([['status', identity.status], ['records', records.join(', ')], ...values]);
}

interface MergedValue {
  field: string;
  /** Value of the person who stays, and of the other one. */
  own: string | undefined;
  other: string | undefined;
  merged: string;
}

type Valued = Pick<Identity, 'attributes'>;

/** The values of two people and of the person that a merge makes of them: differing fields first. */
export function mergedValues(stays: Valued, goes: Valued): MergedValue[] {
  const own = valuesOf(stays);
  const other = valuesOf(goes);
  const merged = valuesOf({ attributes: [...stays.attributes, ...goes.attributes].toSorted(newestFirst) });
  const rows = [...merged].map(([field, text]) => ({
    field,
    own: own.get(field),
    other: other.get(field),
    merged: text,
  }));
  const differs = (row: MergedValue) => row.own !== row.other;
  return [...rows.filter(differs), ...rows.filter((row) => !differs(row))];
}

/** At equal priority the newer value wins. */
function newestFirst(a: Identity['attributes'][number], b: Identity['attributes'][number]): number {
  return Date.parse(b.updated_at) - Date.parse(a.updated_at);
}

function valuesOf(identity: Valued): Map<string, string> {
  return new Map(winningValues(identity).map(({ field, values }) => [field, values.join(', ')]));
}
