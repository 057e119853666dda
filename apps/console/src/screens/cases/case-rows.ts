import type { ReviewCase } from '../../data/api';
import type { caseStatuses } from '../../data/searches';

interface ComparedRow {
  field: string;
  /** Value of the record. */
  value: string | undefined;
  /** Value of each candidate, in their order, and whether it is the same. */
  others: { value: string | undefined; agrees: boolean | undefined }[];
}

/** Fields of the record beside those of its candidates: first the ones that agree with one, then those that differ. */
export function rowsOf({ candidates }: Pick<ReviewCase, 'candidates'>): ComparedRow[] {
  const compared = candidates.map((candidate) => new Map(candidate.compared?.map((row) => [row.field, row])));
  const fields = [...new Set(compared.flatMap((rows) => [...rows.keys()]))];
  const rows = fields.map((field) => ({
    field,
    value: compared.map((each) => each.get(field)?.value).find((value) => value !== undefined),
    others: compared.map((each) => ({ value: each.get(field)?.other, agrees: each.get(field)?.agrees })),
  }));
  const agreeing = (row: ComparedRow) => row.others.some(({ agrees }) => agrees);
  return [...rows.filter(agreeing), ...rows.filter((row) => !agreeing(row))];
}

/** The status of a case in words: `new` keeps two people apart, or makes a person. */
export const caseStatusWords: Record<(typeof caseStatuses)[number], string> = {
  linked: 'Linked',
  new: 'Kept apart',
  ignored: 'Ignored',
  settled: 'Settled by matching',
};
