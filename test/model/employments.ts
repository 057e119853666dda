// "Several employments in one source" of docs/directory.md.
import { type Entry, isUser } from './types.js';

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

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
