import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { maxLoggedLength, withoutCredentials } from './without-credentials.js';

/** Fragments that a client, a source or a receiver can repeat to make a naive pattern quadratic. */
const repeated = [
  'a',
  'a:',
  '://',
  'a://',
  '@',
  'a://b:',
  ' ',
  'Bearer ',
  'bearer',
  'whsec_',
  'iss_',
  '_',
  'iss_0',
  '.',
];
const credential = fc.stringMatching(/^[0-9a-z]{24}$/);
/** Log text around a credential: fragments that the patterns match on, and anything else. */
const around = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(...repeated, 'https://example.com/a@b', '\n')), { maxLength: 20 })
  .map((parts) => `${parts.join('')} `);
const within = fc.stringMatching(/^[\w:@%!$&'()*+,;=.~-]{0,20}$/);

const forms = (secret: string, more: string): string[] => [
  `postgres://me:${secret}@db/idsync`,
  `amqp://me:${more}${secret}${more}@broker:5672`,
  `https://${secret}@example.com`,
  `Authorization: Bearer ${secret}`,
  `basic   ${secret}==`,
  `whsec_${secret}=`,
  `iss_${'0'.repeat(26)}_${secret}`,
];

describe('a text in the logs', () => {
  it('contains no credential of any form, in any surrounding text', () => {
    fc.assert(
      fc.property(around, credential, within, around, (before, secret, more, after) => {
        for (const form of forms(secret, more)) {
          expect(withoutCredentials(`${before}${form} ${after}`)).not.toContain(secret);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('contains no part of a credential at the cut of a long text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), credential, (back, secret) => {
        for (const form of forms(secret, '')) {
          const shown = withoutCredentials(`${'x '.repeat(maxLoggedLength)}`.slice(back, maxLoggedLength) + form);
          for (let at = 0; at + 6 <= secret.length; at += 1) expect(shown).not.toContain(secret.slice(at, at + 6));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps everything else, including email addresses in a path', () => {
    for (const text of ['GET https://example.com/users/ann@example.com failed', 'a:b@c', 'the bearer', '://', '']) {
      expect(withoutCredentials(text)).toBe(text);
    }
    expect(withoutCredentials('at postgres://me:x@db/idsync?ssl=1')).toBe('at postgres://db/idsync?ssl=1');
  });

  it('is cut at 8192 characters with its length noted', () => {
    expect(maxLoggedLength).toBe(8_192);
    const whole = 'word '.repeat(maxLoggedLength / 5 + 1).slice(0, maxLoggedLength);
    expect(withoutCredentials(whole)).toBe(whole);
    const shown = withoutCredentials(`${whole}more`);
    expect(shown).toMatch(/^(word ){1638}\[… 8196 characters\]$/);
    expect(withoutCredentials('x'.repeat(1_000_000))).toBe('[… 1000000 characters]');
  });

  // `npm run check:expressions` proves that each search takes linear time.
  it.each(repeated)('with a megabyte of %s is searched only up to the limit', (part) => {
    const replace = jest.spyOn(String.prototype, 'replaceAll');
    try {
      withoutCredentials(part.repeat(Math.ceil(1_000_000 / part.length)));
      const searched = replace.mock.contexts.map((text) => String(text).length);
      expect(searched.length).toBeGreaterThan(0);
      expect(Math.max(...searched)).toBeLessThanOrEqual(maxLoggedLength + '[… 1000000 characters]'.length);
    } finally {
      replace.mockRestore();
    }
  });
});
