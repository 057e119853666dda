import { defaultMatchingRules } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { haveEmailInTwoNotations, internationalEmails } from './fuzzy-values.js';

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
