import { describe, expect, it } from '@jest/globals';
import { comparedText } from './compared-text.js';

describe('a text as it is compared', () => {
  it.each([
    ['outer spaces', ' A 17 ', 'A 17'],
    ['an accent of its own', 'Zoe\u0308', 'Zoë'],
    ['full-width digits', '１７', '17'],
    ['no-break spaces', 'Ann\u00a0Lee\u202f', 'Ann Lee'],
    ['a zero-width space, joiner or mark', '\ufeff1\u200b7\u200d\u2060', '17'],
    ['marks of direction', '\u202aann@x.org\u202c\u200e\u2066\u2069', 'ann@x.org'],
    ['a soft hyphen', 'Schmidt\u00adbauer', 'Schmidtbauer'],
  ])('has no trace of %s', (_, text, expected) => {
    expect(comparedText(text)).toBe(expected);
  });
});
