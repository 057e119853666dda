import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../', import.meta.url);
const text = readFileSync(new URL('docs/security.md', root), 'utf8');

/** Each test that is cited: its file in backticks, and behind it its words in quotes, one or several. */
const cited = [...text.matchAll(/`([\w/.-]+\.spec\.ts)`:((?:,?\s+"[^"\n]+")+)/g)].flatMap(([, file = '', words = '']) =>
  [...words.matchAll(/"([^"]+)"/g)].map(([, title = '']) => [file, title] as const),
);

/** The first argument of `it(…)`, `describe(…)` and of what `each(…)` gives. */
function titlesIn(file: string): string[] {
  const source = readFileSync(new URL(file, root), 'utf8');
  return [...source.matchAll(/(?:\bit|\bdescribe|\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(
    ([, , title = '']) => title,
  );
}

describe('docs/security.md', () => {
  it.each(cited)('cites a test that is there: %s, "%s"', (file, title) => {
    expect(titlesIn(file)).toContain(title);
  });

  it('cites no file without the words of a test', () => {
    const files = [...text.matchAll(/`([\w/.-]+\.spec\.ts)`:/g)].map(([, file]) => file);
    expect([...new Set(cited.map(([file]) => file))].sort()).toEqual([...new Set(files)].sort());
  });

  it('shows by a test what it says of each attacker', () => {
    const attackers = (text.split('## Who could attack\n')[1]?.split('\n## ')[0] ?? '').split('\n### ').slice(1);
    expect(attackers).not.toEqual([]);
    for (const attacker of attackers) expect(attacker).toMatch(/\.spec\.ts`: /);
  });
});
