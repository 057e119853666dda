// "Several employments in one source" of docs/directory.md.
import { asPerson, statusOf } from './lifecycle.js';
import { type Entry, type Fields, isUser, type Row, type Source } from './types.js';

const byRank = ['active', 'pending', 'suspended', 'inactive', 'deleted'];

/** The records whose values an identity shows: of each source the primary employment, and all accounts, deleted ones too. */
export function shownEntries(entries: readonly Entry[]): Entry[] {
  const users = entries.filter(isUser);
  const sources = [...new Set(users.map(({ source }) => source))];
  const primaries = sources.map((source) => primaryOf(users.filter((user) => user.source === source)));
  return [...primaries, ...entries.filter((entry) => !isUser(entry))];
}

/** The active one, then the one with the latest hire date, then the one with the lowest external id. */
export function primaryOf(users: readonly Entry[]): Entry {
  const [first] = [...users].sort(
    (a, b) =>
      byRank.indexOf(a.status) - byRank.indexOf(b.status) ||
      compare(b.fields.hire_date ?? '', a.fields.hire_date ?? '') ||
      compare(a.id, b.id),
  );
  if (!first) throw new Error('a source without users has no primary employment');
  return first;
}

/** Of the rows of one id in a complete read, the active one, then the one with the latest hire date, then the last one. */
export function countingRows(source: Source, rows: readonly Row[], today: string): Row[] {
  const counting = new Map<string, Row>();
  for (const row of rows) {
    const other = counting.get(row.id);
    if (!other || !isWeaker(source, row.fields, other.fields, today)) counting.set(row.id, row);
  }
  return [...counting.values()];
}

/** Of two rows of an id, whether the first one does not count. */
export function isWeaker(source: Source, row: Fields, other: Fields, today: string): boolean {
  const rank = (fields: Fields) => byRank.indexOf(asPerson(statusOf(source, fields, today)));
  return (rank(row) - rank(other) || compare(other.hire_date ?? '', row.hire_date ?? '')) > 0;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
