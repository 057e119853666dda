import { defaultMatchingRules } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { fuzzyValues, haveEmailInTwoNotations, internationalEmails } from './fuzzy-values.js';
import { comparable } from './normalisers.js';

describe('a value for comparison', () => {
  it.each([
    ['  Ada   LOVELACE ', 'ada lovelace'],
    ['+49 (30) 123-456', '930123456'],
    ['123 456', '123456'],
    ['12345', '12345'],
    ['room 123456', 'room 123456'],
    ['a-', 'a-'],
    ['123456 ext', '123456 ext'],
  ])('of %j is %j', (value, expected) => {
    expect(comparable(value)).toBe(expected);
  });

  it.each([undefined, '', '   ', 'N/A', 'unknown'])('is absent for %j', (value) => {
    expect(comparable(value)).toBeUndefined();
  });

  it('has at most 200 characters', () => {
    expect(comparable('ab'.repeat(150))).toBe('ab'.repeat(100));
  });
});

describe('the values by which similar records are found', () => {
  it('are the sound of the name and the compared fields', () => {
    const fields = { first_name: ['Anna'], last_name: ['Lee'], phone: ['+49 30 123456'], title: ['Boss'] };
    expect(fuzzyValues(fields, defaultMatchingRules)).toContain('full_name AN L');
    expect(fuzzyValues(fields, { ...defaultMatchingRules, weak: [] })).toEqual([]);
  });

  it('are without stop values of the tenant, in any notation', () => {
    const fields = { 'attributes.phone': ['+47 22 00 11 22'] };
    expect(fuzzyValues(fields, defaultMatchingRules)).toEqual(['attributes.phone 722001122']);
    const stop_values = [{ field: 'attributes.phone' as const, values: ['0047 22001122'] }];
    expect(fuzzyValues(fields, { ...defaultMatchingRules, stop_values })).toEqual([]);
  });
});

const mail = (email: string, ...other_emails: string[]) => ({ email: [email], other_emails });
const emails = (...given: Parameters<typeof mail>) => internationalEmails(mail(...given), defaultMatchingRules);

describe('an email address with an international domain', () => {
  it('is found in one notation, and an address with another domain is not', () => {
    for (const address of ['Ann@Müller.de', 'ann@xn--mller-kva.de'])
      expect(emails(address)).toEqual(['ann@xn--mller-kva.de']);
    expect(emails('ann@mail.müller.de')).toEqual(['ann@mail.xn--mller-kva.de']);
    expect(emails('ann@x.org', 'ann@müller.de')).toEqual(['ann@xn--mller-kva.de']);
    expect(emails('xn--ann@x.org')).toEqual([]);
    expect(emails('ann@x-xn--y.org')).toEqual([]);
  });

  it.each(['', 'info@müller.de', 'ann@müller', 'not an address'])(
    'is not %j if this identifies no person',
    (address) => {
      expect(emails(address)).toEqual(address === 'ann@müller' ? ['ann@xn--mller-kva'] : []);
    },
  );

  it.each<[string, string, boolean]>([
    ['ann@müller.de', 'ann@xn--mller-kva.de', true],
    ['ann@xn--mller-kva.de', 'ANN@MÜLLER.DE', true],
    ['ann@müller.de', 'ann@müller.de', false],
    ['ann@müller.de', 'bob@xn--mller-kva.de', false],
    ['ann@müller.de', 'ann@mueller.de', false],
  ])('of %j and %j is the same in two notations: %s', (a, b, expected) => {
    expect(haveEmailInTwoNotations(mail(a), mail(b), defaultMatchingRules)).toBe(expected);
  });

  it('has one notation if the rules use the normaliser for it', () => {
    const rules = { ...defaultMatchingRules, keys: [{ field: 'email' as const, normaliser: 'email' as const }] };
    expect(haveEmailInTwoNotations(mail('ann@müller.de'), mail('ann@xn--mller-kva.de'), rules)).toBe(false);
  });
});
