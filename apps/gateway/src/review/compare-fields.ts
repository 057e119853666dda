import { comparedText, matchingKeys, type responses, visibleText } from '@idsync/contracts';

type Fields = Readonly<Record<string, string[]>>;
type Compared = NonNullable<responses.ReviewCase['candidates'][number]['compared']>;

/** Fields that help to decide whether two records are one person, in this order. */
const known = [
  ...matchingKeys,
  'other_emails',
  'display_name',
  'first_name',
  'last_name',
  'job_title',
  'hire_date',
  'termination_date',
];
/** Letters of a value that are shown. */
const mostLetters = 200;

/**
 * Compares the values of a record with those of a candidate's records: the fields that people are known by, and any
 * other field that both have.
 */
export function compareFields(own: Fields, others: readonly Fields[]): Compared {
  const valuesOf = (field: string) => [...new Set(others.flatMap((fields) => fields[field] ?? []))];
  const common = Object.keys(own)
    .filter((field) => field.startsWith('attributes.') && valuesOf(field).length > 0)
    .sort();
  return [...known, ...common].flatMap((field) => {
    const [mine, theirs] = [own[field] ?? [], valuesOf(field)];
    if (mine.length === 0 && theirs.length === 0) return [];
    const folded = new Set(mine.map(folding));
    return [
      {
        field,
        ...(mine.length > 0 && { value: shown(mine) }),
        ...(theirs.length > 0 && { other: shown(theirs) }),
        ...(mine.length > 0 && theirs.length > 0 && { agrees: theirs.some((value) => folded.has(folding(value))) }),
      },
    ];
  });
}

const folding = (value: string): string => comparedText(value).toLowerCase();
const shown = (values: readonly string[]): string => visibleText(values.join(', ')).slice(0, mostLetters);
