import { type MatchingKey, matchingKeys } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isNoName, isPlaceholder, isStopValue } from './stop-values.js';
import { noNumbers, placeholders, roles } from './stop-words.js';

describe('a value that does not identify a person', () => {
  it.each(['1e5', '12e34', '123456', 'e+05', 'nova'])('can be an employee number: %j', (value) => {
    expect(isStopValue('employee_number', value)).toBe(false);
  });

  it.each([
    'n/a',
    'n.a.',
    '#n/a',
    'none',
    'unknown',
    'not applicable',
    '-',
    '---',
    '?',
    '0',
    '0000',
    '000-000',
    '9999',
  ])('is no match key of any kind: %j', (value) => {
    expect(matchingKeys.filter((kind) => !isStopValue(kind, value))).toEqual([]);
  });

  it.each([
    'extern',
    'contractor',
    '-1',
    '999',
    '９９９９',
    'azubi',
    'neu',
    '1e+05',
    '1,23E+05',
    '#nv',
    'k.a.',
    'siehe oben',
  ])('is no employee number: %j', (value) => {
    expect(isStopValue('employee_number', value)).toBe(true);
  });

  it.each([
    'not an email',
    'ann',
    '@x.org',
    'ann@',
    'ann@@x.org',
    'a@x.org;b@x.org',
    'ann smith@x.org',
    '<ann@x.org>',
    'mailto:ann@x.org',
    'n/a@n/a',
    '-@-',
    'ann@x..org',
    'ann@-',
    'ann@x.org.',
    'ann\u200b@x.org',
  ])('is no e-mail key because it is no address: %j', (value) => {
    expect(isStopValue('email', value)).toBe(true);
  });

  it.each([
    'info',
    'office',
    'noreply',
    'no-reply',
    'no.reply+42',
    'noreply-hr',
    'support',
    'admin',
    'none',
    'unknown',
  ])('is no key because the mailbox or login belongs to no person: %s', (local) => {
    expect(isStopValue('email', `${local}@x.org`)).toBe(true);
    expect(isStopValue('user_principal_name', `${local}@x.org`)).toBe(true);
    expect(isStopValue('user_principal_name', local)).toBe(true);
    expect(isStopValue('user_principal_name', `corp\\${local}`)).toBe(true);
  });

  it.each(['not a login', 'ann@', '@corp', 'ann@a@b', 'ann@corp..example'])(
    'is no user principal name: %j',
    (value) => {
      expect(isStopValue('user_principal_name', value)).toBe(true);
    },
  );

  it('is recognised in any case and with any punctuation', () => {
    const noise = fc.constantFrom('', ' ', '-', '_', '.', '/', '#', '(', ')', '–', '\u00a0');
    const written = fc
      .constantFrom(...placeholders, ...noNumbers)
      .chain((word) =>
        fc
          .array(fc.tuple(noise, fc.boolean()), { minLength: word.length, maxLength: word.length })
          .map((marks) =>
            marks.map(([mark, up], at) => mark + (up ? word.charAt(at).toUpperCase() : word.charAt(at))).join(''),
          ),
      );
    fc.assert(fc.property(written, (value) => isStopValue('employee_number', value)));
  });
});

describe('a value that identifies a person', () => {
  const keys: [MatchingKey, string][] = [
    ['employee_number', '1'],
    ['employee_number', '7'],
    ['employee_number', '0042'],
    ['employee_number', '111'],
    ['employee_number', '1000'],
    ['employee_number', 'e0001'],
    ['employee_number', 'n-ann'],
    ['employee_number', 'ba-17/3'],
    ['email', 'ann@x.org'],
    ['email', 'a@x.org'],
    ['email', "o'neil+work@mail.x.org"],
    ['email', 'ann@localhost'],
    ['email', 'info.meier@x.org'],
    ['email', 'adminah@x.org'],
    ['email', 'na@x.org'],
    ['email', 'jörg@bücher.example'],
    ['email', '4711@x.org'],
    ['user_principal_name', 'p'],
    ['user_principal_name', 'ann'],
    ['user_principal_name', 'corp\\ann'],
    ['user_principal_name', 'ann_x.org#ext#@contoso.example'],
    ['user_principal_name', 'ann@corp_1.local'],
  ];
  it.each(keys)('is a match key: %s %s', (kind, value) => {
    expect(isStopValue(kind, value)).toBe(false);
  });

  it('is not in the list of placeholders', () => {
    expect(['ann', '12345', '0042', '+49 30 1234567', '129999', '99991', '999'].filter(isPlaceholder)).toEqual([]);
  });

  it('can be a placeholder with up to four letters, which people have as logins', () => {
    for (const login of ['leer', 'geen', 'xxxx']) expect(isStopValue('email', `${login}@x.org`)).toBe(false);
    for (const login of ['blank', 'empty', 'null']) expect(isStopValue('email', `${login}@x.org`)).toBe(true);
  });

  it('is a number unless its digits are three or more nines', () => {
    const numbers = fc.integer({ min: 1, max: 9_999_999 }).map(String);
    fc.assert(
      fc.property(numbers, (value) => {
        expect(isStopValue('employee_number', value)).toBe(/^9{3,}$/.test(value));
      }),
    );
  });

  it('has a role mailbox only as a whole', () => {
    fc.assert(
      fc.property(fc.constantFrom(...roles), (role) => {
        expect(isStopValue('email', `${role}@x.org`)).toBe(true);
        expect(isStopValue('email', `ann.${role}@x.org`)).toBe(false);
      }),
    );
  });
});

describe('a first or last name', () => {
  it.each(['N/A', 'n.a.', '-', '0000', 'unknown', 'Default', 'unbekannt', 'nobody', 'Missing'])(
    'is none if it is a placeholder: %j',
    (value) => {
      expect(isNoName(value)).toBe(true);
    },
  );

  it.each(['Null', 'Na', 'Blank', ' Blank ', 'Empty', 'Ann', 'X'])('can be %j', (value) => {
    expect(isNoName(value)).toBe(false);
  });

  it.each([' unknown ', ' nobody'])('is none with spaces around it, too: %j', (value) => {
    expect(isNoName(value)).toBe(true);
  });
});
