// Names in "Matching" and "Several employments in one source" of docs/directory.md.
import type { Entry, Fields } from './types.js';

type Named = Pick<Entry, 'fields'>;

/** Stands for a first name that the source does not know. */
const unknown = 'fnu';

/** First and last name, or the display name if one of them is missing. */
function writtenName({ first_name = '', last_name = '', display_name = '' }: Fields): string {
  return first_name && last_name ? `${first_name} ${last_name}` : display_name || first_name || last_name;
}

/** The display name also replaces an unknown first name. */
function fullName(fields: Fields): string {
  const { first_name = '', last_name = '', display_name = '' } = fields;
  if (first_name.toLowerCase() !== unknown) return writtenName(fields);
  return display_name || (last_name && `${unknown} ${last_name}`);
}

const wordsIn = (name: string): string[] => name.toLowerCase().match(/[a-z0-9]+/g) ?? [];

export const wordsOf = ({ fields }: Named): string[] => wordsIn(fullName(fields));

const knownWordsOf = (named: Named): string[] => wordsOf(named).filter((word) => word !== unknown);

/** The words of a name in any order. */
export const nameTextOf = (fields: Fields): string => wordsIn(writtenName(fields)).sort().join(' ');

/** A missing name, or a single word, disagrees with none. */
export function haveNoWordInCommon(a: Named, b: Named): boolean {
  const [some, others] = [wordsOf(a), wordsOf(b)];
  return some.length > 1 && others.length > 1 && !knownWordsOf(a).some((word) => others.includes(word));
}

/** All words of the shorter name, in any order. */
export function haveOneName(a: Named, b: Named): boolean {
  const [shorter = [], longer = []] = [wordsOf(a), wordsOf(b)].sort((one, other) => one.length - other.length);
  return shorter.length > 1 && shorter.every((word) => word !== unknown && longer.includes(word));
}

export function haveWordInCommon(a: Named, b: Named): boolean {
  const others = wordsOf(b);
  return knownWordsOf(a).some((word) => others.includes(word));
}

/** Jan and Ute Mueller, or Jan and Ute Garcia Lopez: relatives, or a wrong number. */
export function haveOnlyTheLastWordInCommon(a: Named, b: Named): boolean {
  const [some, others] = [wordsOf(a), wordsOf(b)];
  let shared = 0;
  while (shared < Math.min(some.length, others.length) && some.at(-1 - shared) === others.at(-1 - shared)) shared += 1;
  const [given, other] = [some.slice(0, some.length - shared), others.slice(0, others.length - shared)].map((words) =>
    words.filter((word) => word !== unknown),
  ) as [string[], string[]];
  return shared > 0 && given.length > 0 && other.length > 0 && !given.some((word) => other.includes(word));
}
