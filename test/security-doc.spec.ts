import { describe, expect, it } from '@jest/globals';
import { citedTests, readDocument, titlesIn } from './support/cited-tests.js';

const text = readDocument('docs/security.md');
const cited = citedTests(text);

describe('docs/security.md', () => {
  it.each(cited)('cites an existing test: %s, "%s"', (file, title) => {
    expect(titlesIn(file)).toContain(title);
  });

  it('cites no file without a test title', () => {
    const files = [...text.matchAll(/`([\w/.-]+\.ts)`:/g)].map(([, file]) => file);
    expect([...new Set(cited.map(([file]) => file))].sort()).toEqual([...new Set(files)].sort());
  });

  it('cites a test for each attacker', () => {
    const attackers = (text.split('## Attackers\n')[1]?.split('\n## ')[0] ?? '').split('\n### ').slice(1);
    expect(attackers).not.toEqual([]);
    for (const attacker of attackers) expect(attacker).toMatch(/\.spec\.ts`: /);
  });
});
