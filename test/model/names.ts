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

/** Jan and Ute Mueller: relatives, or a wrong number. */
export function haveOnlyTheLastWordInCommon(a: Named, b: Named): boolean {
  const [some, others] = [wordsOf(a), wordsOf(b)];
  if (some.length < 2 || others.length < 2 || some.at(-1) !== others.at(-1)) return false;
  return !some.slice(0, -1).some((word) => others.slice(0, -1).includes(word));
}
