import { describe, expect, it } from '@jest/globals';
import { citedTests, readDocument, titlesIn } from './support/cited-tests.js';

const text = readDocument('docs/limits.md');
const limits = text.split('\n').filter((line) => /^\| (?!limit \|)/.test(line));

describe('docs/limits.md', () => {
  it('lists limits', () => {
    expect(limits).not.toEqual([]);
  });

  it.each(limits)('cites a test that exists: %s', (line) => {
    const cited = citedTests(line);
    expect(cited).not.toEqual([]);
    for (const [file, title] of cited) expect(titlesIn(file)).toContain(title);
  });
});
