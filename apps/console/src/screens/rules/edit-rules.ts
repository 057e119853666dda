import type { Answer } from '../../data/api';

export type Rules = Answer<'GET /matching-rules'>;
export type Precedence = Answer<'GET /attribute-priorities'>;

export const builtInKeys = ['employee_number', 'email', 'user_principal_name'];
type Normaliser = Rules['keys'][number]['normaliser'];
/** A record by normaliser, because the compiler then requires each one that the API accepts. */
export const normaliserLabels: Readonly<Record<Normaliser, string>> = {
  exact: 'exact',
  case: 'case',
  digits: 'digits',
  alphanumeric: 'alphanumeric',
  number_without_zeros: 'number without zeros',
  email: 'email',
  phone: 'phone',
};

/** One match key of the form: its rank is its position. */
export interface KeyRow {
  field: string;
  normaliser?: Normaliser;
  strength?: 'permanent' | 'reusable';
}

export function rowsOf({ certain, keys }: Rules): KeyRow[] {
  return certain.map((field) => ({ ...keys.find((key) => key.field === field), field }));
}

/** Rules with these match keys. A built-in key has settings only if they differ; an attribute has them always. */
export function withKeys(rules: Rules, rows: readonly KeyRow[]): Rules {
  const keys = rows
    .filter(({ field, normaliser }) => normaliser !== undefined || !builtInKeys.includes(field))
    .map(({ field, normaliser = 'case' as const, strength }) => ({
      field,
      normaliser,
      ...(!builtInKeys.includes(field) && { strength: strength ?? ('reusable' as const) }),
    }));
  return { ...rules, certain: rows.map(({ field }) => field), keys };
}

/** A list with the item moved one position up. */
export function movedUp<Item>(list: readonly Item[], at: number): Item[] {
  const item = list[at];
  if (at <= 0 || item === undefined) return [...list];
  const rest = list.toSpliced(at, 1);
  return rest.toSpliced(at - 1, 0, item);
}
