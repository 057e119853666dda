import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

export function readDocument(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** Returns the tests that a document cites: a file in backticks followed by a colon and quoted titles. */
export function citedTests(text: string): (readonly [file: string, title: string])[] {
  return [...text.matchAll(/`([\w/.-]+\.ts)`:((?:,?\s+"[^"\n]+")+)/g)].flatMap(([, file = '', words = '']) =>
    [...words.matchAll(/"([^"]+)"/g)].map(([, title = '']) => [file, title] as const),
  );
}

/** Returns the first arguments of `it(…)`, `describe(…)` and `….each(…)(…)`. */
export function titlesIn(file: string): string[] {
  return [...readDocument(file).matchAll(/(?:\bit|\bdescribe|\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(
    ([, , title = '']) => title,
  );
}
