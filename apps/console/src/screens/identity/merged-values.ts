import type { Identity } from '../../data/api';
import { winningValues } from './winning-values.js';

export interface MergedValue {
  field: string;
  /** Value of the person who stays, and of the other one. */
  own: string | undefined;
  other: string | undefined;
  merged: string;
}

type Valued = Pick<Identity, 'attributes'>;

/** The values of two people and of the person that a merge makes of them: differing fields first. */
export function mergedValues(stays: Valued, goes: Valued): MergedValue[] {
  const own = textsOf(stays);
  const other = textsOf(goes);
  const merged = textsOf({ attributes: [...stays.attributes, ...goes.attributes].toSorted(newestFirst) });
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

function textsOf(identity: Valued): Map<string, string> {
  return new Map(winningValues(identity).map(({ field, values }) => [field, values.join(', ')]));
}
