import { describe, expect, it } from '@jest/globals';
import { searchTermsOf } from '../../directory/search-terms.js';
import { conditionsOf } from './filters.js';
import { asTyped, type Beginning, textRanges, typosOf } from './search-text.js';

describe('the conditions of a list', () => {
  it.each([
    ['identity', [{ name: 'any', sql: `status <> 'deleted'` }]],
    [
      'account',
      [
        { name: 'account', sql: `kind = 'account'` },
        { name: 'any', sql: `status <> 'deleted'` },
      ],
    ],
    [
      'machine_identity',
      [
        { name: 'machine_identity', sql: `kind = 'machine_identity'` },
        { name: 'any', sql: `status <> 'decommissioned'` },
      ],
    ],
  ] as const)('leave out what is deleted, unless a status is requested: %s', (resource, expected) => {
    expect(conditionsOf(resource, {}, String)).toMatchObject([...expected]);
    const requested = conditionsOf(resource, { status: 'active' }, (item) => `'${item}'`);
    expect(requested.at(-1)).toMatchObject({ name: 'status', sql: `status = 'active'` });
  });
});

const ann = searchTermsOf({
  first_name: ['Ann-Marie'],
  last_name: ['Müller'],
  display_name: ['MÜLLER, Ann Marie'],
  email: [' Ann.Muller@Example.org '],
  employee_number: ['4711'],
});

/** Returns whether one of the beginnings begins a word of a name. */
function matches(beginnings: readonly string[], term: string): boolean {
  return beginnings.some((each) => ` ${term.slice(2)}`.includes(` ${each}`));
}

/** Applies the ranges as PostgreSQL does. */
function finds(text: string, spellings?: Beginning[][]): boolean {
  const { low, high, word, words } = textRanges(text, spellings);
  const isBetween = (term: string, at: number) => term >= (low[at] ?? '') && term < (high[at] ?? '');
  return ann.some((term) =>
    low.some((_, at) => isBetween(term, at) && (word[at] === null || words.every((each) => matches(each, term)))),
  );
}

describe('a text search', () => {
  it.each(['ann', 'Mül', 'muller ann', 'ann-marie MULLER', 'mar mu', 'ann.muller@ex', '471', '4711'])(
    'finds a person by the beginning of names, addresses and numbers: %s',
    (text) => {
      expect(finds(text)).toBe(true);
    },
  );

  it.each(['nn', 'ann lee', 'uller', '711', 'example.org'])('does not find a person by other texts: %s', (text) => {
    expect(finds(text)).toBe(false);
  });

  it.each(['miller', 'mulller', 'mulle', 'umller', 'mullre', 'mulxler'])('finds a word with one typo: %s', (text) => {
    expect(finds(text, [typosOf(text)])).toBe(true);
  });

  it.each(['molxer', 'anx', 'marieann'])('does not find a word with more typos, or a short one: %s', (text) => {
    expect(finds(text, [typosOf(text)])).toBe(false);
  });

  it('uses at most five words', () => {
    expect(asTyped('a b c d e f g')).toHaveLength(5);
  });
});

describe('the terms of a record', () => {
  it('have each word of its names once, and one term for each value', () => {
    expect(ann).toEqual([
      'e:ann.muller@example.org',
      'n:4711',
      'w:ann marie muller ',
      'w:marie ann muller ',
      'w:muller ann marie ',
    ]);
  });

  it('are bounded, whatever a source delivers', () => {
    const long = 'x'.repeat(10_000);
    const terms = searchTermsOf({
      email: [long],
      display_name: [
        Array(500)
          .fill(long)
          .map((w, n) => w + n)
          .join(' '),
      ],
    });
    expect(terms.length).toBeLessThan(10);
    for (const term of terms) expect(Buffer.byteLength(term)).toBeLessThan(2_000);
  });

  it('have no line breaks and no empty values', () => {
    expect(searchTermsOf({ email: [' \n '], display_name: ['A\nB\u0000'] })).toEqual(['w:a b ', 'w:b a ']);
  });
});
