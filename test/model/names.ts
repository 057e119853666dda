// Names in "Matching" and "Several employments in one source" of docs/directory.md.
import type { Entry, Fields } from './types.js';

type Named = Pick<Entry, 'fields'>;

/** First and last name, or the display name if one of them is missing. */
function fullName({ first_name = '', last_name = '', display_name = '' }: Fields): string {
  return first_name && last_name ? `${first_name} ${last_name}` : display_name || first_name || last_name;
}

const wordsOf = ({ fields }: Named): string[] =>
  fullName(fields)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

/** The words of a name in any order. */
export const nameTextOf = (fields: Fields): string => wordsOf({ fields }).sort().join(' ');

/** A missing name, or a single word, disagrees with none. */
export function haveNoWordInCommon(a: Named, b: Named): boolean {
  const [some, others] = [wordsOf(a), wordsOf(b)];
  return some.length > 1 && others.length > 1 && !some.some((word) => others.includes(word));
}

export function haveWordInCommon(a: Named, b: Named): boolean {
  const others = wordsOf(b);
  return wordsOf(a).some((word) => others.includes(word));
}

/** Jan and Ute Mueller, or Jan and Ute Garcia Lopez: relatives, or a wrong number. */
export function haveOnlyTheLastWordInCommon(a: Named, b: Named): boolean {
  const [some, others] = [wordsOf(a), wordsOf(b)];
  let shared = 0;
  while (shared < Math.min(some.length, others.length) && some.at(-1 - shared) === others.at(-1 - shared)) shared += 1;
  const [given, other] = [some.slice(0, some.length - shared), others.slice(0, others.length - shared)];
  return shared > 0 && given.length > 0 && other.length > 0 && !given.some((word) => other.includes(word));
}
