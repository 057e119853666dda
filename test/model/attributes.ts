// "Source precedence" of docs/directory.md.
import { primaryOf, shownEntries } from './employments.js';
import { employmentsOf } from './lifecycle.js';
import { type Entry, isDeleted, isUser } from './types.js';

/** The fields for which sources compete. */
export const attributeFields = [
  'employee_number',
  'email',
  'user_principal_name',
  'first_name',
  'last_name',
  'job_title',
  'hire_date',
] as const;

/** The candidates of each field as `value (source)`, the winner first; those of one source in the order of their text. */
export function attributesOf(entries: readonly Entry[]): Record<string, string[]> {
  const shown = shownEntries(entries);
  return Object.fromEntries(
    attributeFields.flatMap((field) => {
      const said = candidatesOf(shown, field);
      const ranked = said.sort(
        (a, b) => a.source.priority - b.source.priority || byText(a.fields[field], b.fields[field]),
      );
      return said.length > 0 ? [[field, ranked.map(({ fields, source }) => `${fields[field]} (${source.name})`)]] : [];
    }),
  );
}

/** The records with a value; those that their source has deleted only if no other record has one. */
function candidatesOf(entries: readonly Entry[], field: string): Entry[] {
  const having = entries.filter(({ fields }) => fields[field]);
  const present = having.filter((entry) => !isDeleted(entry));
  const said = present.length > 0 ? present : having;
  return ofEmployment.includes(field) ? said.filter((entry) => speaks(entry, entries)) : said;
}

const ofEmployment = ['hire_date', 'job_title'];

/** Of several sources of employments only the one that decides says what the employment is. */
function speaks(entry: Entry, entries: readonly Entry[]): boolean {
  if (!isUser(entry) || !entry.source.employments) return true;
  const employments = entries.filter((other) => isUser(other) && other.source.employments);
  const listed = employments.filter((other) => !isDeleted(other));
  const counting = employmentsOf(listed.length > 0 ? listed : employments);
  return (
    entry ===
    primaryOf(counting.filter(({ source }) => counting.every((other) => other.source.priority >= source.priority)))
  );
}

const byText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The winning display name, unless sources of higher precedence give first and last name; without both, an identifier.
 * There are several if accounts of one source give different values at the same time.
 */
export function displayNamesOf(entries: readonly Entry[]): string[] {
  const shown = shownEntries(entries);
  const wholes = winnersOf(shown, 'display_name');
  const parts = [winnersOf(shown, 'first_name'), winnersOf(shown, 'last_name')];
  const precede = parts.every(([part]) => part && wholes[0] && part.source.priority < wholes[0].source.priority);
  if (wholes.length > 0 && !precede) return wholes.map(({ fields }) => fields.display_name ?? '');
  const [first, last] = parts.map(([part]) => part);
  const names = [first?.fields.first_name ?? '', last?.fields.last_name ?? ''].filter(Boolean).join(' ');
  if (names) return [names];
  for (const field of ['email', 'user_principal_name', 'employee_number']) {
    const winners = winnersOf(shown, field);
    if (winners.length > 0) return winners.map(({ fields }) => fields[field] ?? '');
  }
  return entries
    .map(({ id }) => id)
    .sort()
    .slice(0, 1);
}

/** The records of the source that precedes all others in this field. */
function winnersOf(entries: readonly Entry[], field: string): Entry[] {
  const said = candidatesOf(entries, field);
  const first = Math.min(...said.map(({ source }) => source.priority));
  return said.filter(({ source }) => source.priority === first);
}
