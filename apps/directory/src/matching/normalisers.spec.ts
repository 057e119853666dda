import type { KeyNormaliser } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { normalisers } from './normalisers.js';

describe('the normaliser of a match key', () => {
  it.each<[KeyNormaliser, string, string | undefined]>([
    ['exact', 'aB-1', 'aB-1'],
    ['case', 'aB-1', 'ab-1'],
    ['digits', 'ID 12-34', '1234'],
    ['digits', 'none', ''],
    ['alphanumeric', 'AB-12/ü.9', 'ab12ü9'],
    ['number_without_zeros', '00017', '17'],
    ['number_without_zeros', '0A7', 'a7'],
    ['number_without_zeros', '1700', '1700'],
    ['number_without_zeros', '0', '0'],
    ['number_without_zeros', '000', '0'],
    ['email', 'Ann@MÜLLER.de', 'ann@xn--mller-kva.de'],
    ['email', 'ann@xn--mller-kva.de', 'ann@xn--mller-kva.de'],
    ['email', 'Ann@X.org', 'ann@x.org'],
    ['email', 'Ann', 'ann'],
    ['email', '@', undefined],
    ['email', 'ann@x y', undefined],
    ['phone', '+49 (171) 123-4567', '711234567'],
    ['phone', '0171 1234567', '711234567'],
    ['phone', '123456', '123456'],
    ['phone', '12345', undefined],
  ])('%s makes %j to %j', (name, value, expected) => {
    expect(normalisers[name](value)).toBe(expected);
  });

  it.each(Object.keys(normalisers) as KeyNormaliser[])('%s leaves a normalised value unchanged', (name) => {
    for (const value of ['0017', 'Ann@MÜLLER.de', 'AB-12', '+49 171 1234567']) {
      const once = normalisers[name](value);
      expect(once === undefined || normalisers[name](once) === once).toBe(true);
    }
  });
});
