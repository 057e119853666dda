import type { IconName } from '../components/button';

/** Something that the search of ⌘K can open. */
export interface Option {
  key: string;
  label: string;
  about?: string;
  status?: string;
  icon: IconName;
  open: () => unknown;
}

const separators = /[^\p{L}\p{N}]+/u;

/** Whether words of a name begin with each word of the text: `payroll` finds `https://payroll.example.org/hook`. */
export function matchesName(name: string, text: string): boolean {
  const words = wordsIn(name);
  const wanted = wordsIn(text);
  return wanted.length > 0 && wanted.every((begin) => words.some((word) => word.startsWith(begin)));
}

function wordsIn(text: string): string[] {
  return text
    .toLowerCase()
    .split(separators)
    .filter((word) => word !== '');
}

const least = 3;

/** Screens in two parts: those whose name begins with what was typed precede everything else that is found. */
export function screensOf<Screen extends { label: string }>(
  screens: readonly Screen[],
  text: string,
): { first: Screen[]; last: Screen[] } {
  if (text === '') return { first: [], last: [...screens] };
  const matching = screens.filter(({ label }) => matchesName(label, text));
  const isFirst = ({ label }: Screen) => text.length >= least && label.toLowerCase().startsWith(text.toLowerCase());
  return { first: matching.filter(isFirst), last: matching.filter((screen) => !isFirst(screen)) };
}
