import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matcher, parseFilter, readFilter } from './scim-filter.js';

describe('a SCIM filter text', () => {
  // RFC 7644, section 3.4.2.2: a compared text is a JSON string (RFC 8259), also in value paths.
  it.each([
    [String.raw`userName eq "CORP\\ann"`, String.raw`CORP\ann`],
    [String.raw`userName eq "a\"b\/c"`, 'a"b/c'],
    [String.raw`userName eq "tab\there"`, 'tab\there'],
    [String.raw`userName eq "Zo\u00eb \ud83d\ude00"`, 'Zoë 😀'],
    ['userName eq "a and b) or [c"', 'a and b) or [c'],
  ])('undoes the escapes of JSON: %s', (text, name) => {
    expect(readFilter('User', text)).toEqual({ narrowing: { name } });
    const inPath = text.replace('userName', 'value');
    expect(
      matcher(parseFilter(`emails[type eq "work" and ${inPath}]`))({ emails: { type: 'work', value: name } }),
    ).toBe(true);
  });

  it('finds every text that is written as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('externalId', 'title'), (value, name) => {
        const filter = readFilter('User', `${name} eq ${JSON.stringify(value)}`);
        if (name === 'externalId') expect(filter.narrowing).toEqual({ externalId: value });
        else expect(filter.matches?.({ title: value })).toBe(true);
      }),
    );
  });

  it.each([
    ['a or b and not (c)', 'or(a, and(b, not(c)))'],
    ['(a or b) and c', 'and(or(a, b), c)'],
    ['a AND b Or c', 'or(and(a, b), c)'],
    ['not(a)or b', 'or(not(a), b)'],
    ['list[a and b]', 'list[and(a, b)]'],
    ['list[a].b', 'list[and(a, b)]'],
  ])('has the precedence of RFC 7644: %s', (text, expected) => {
    const show = (filter: ReturnType<typeof parseFilter>): string => {
      if ('filters' in filter) return `${filter.op}(${filter.filters.map(show).join(', ')})`;
      if ('filter' in filter) return `not(${show(filter.filter)})`;
      if ('valFilter' in filter) return `${filter.attrPath}[${show(filter.valFilter)}]`;
      return filter.attrPath;
    };
    expect(show(parseFilter(text.replaceAll(/\b[abc]\b/g, '$& pr')))).toBe(expected);
  });

  it.each([
    String.raw`userName eq "CORP\ann"`,
    'userName eq "a',
    'userName eq "a"b"',
    'userName eq a',
    'userName eq {}',
    'userName eq "a" and',
    'and userName pr',
    'userName pr userName pr',
    'emails[type eq "work"',
    'emails[]',
    'emails[type pr].',
    'not',
    '"userName" pr',
    '1 pr',
    '(userName pr',
    'userName pr)',
    `${'('.repeat(4_000)}userName pr`,
  ])('is rejected as invalidFilter if it is not one: %#', (text) => {
    expect(() => readFilter('User', text)).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidFilter' }));
  });
});

describe('a SCIM filter tests on each resource', () => {
  const ada = {
    id: 'scr_1',
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:acme:2.0:User'],
    userName: 'ada',
    active: false,
    'urn:acme:2.0:User': { marks: ['a', 'b'], level: 3 },
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
      manager: { value: 'scr_2' },
      department: 'Engines',
    },
    meta: { resourceType: 'User', lastModified: '2026-11-30T12:00:00.000Z', version: 'W/"1"' },
  };
  const matches = (text: string) => matcher(parseFilter(text))(ada);

  // RFC 7643, section 2.5: unassigned, null and empty are the same; RFC 7644, section 3.4.2.2: times are compared as times.
  it.each([
    ['id pr', true],
    ['id sw "scr_"', true],
    ['id co "x"', false],
    ['id ne "scr_1"', false],
    ['id ne "scr_2"', true],
    ['title eq null', true],
    ['title ne null', false],
    ['userName eq null', false],
    ['userName ne null', true],
    ['title ne "Lead"', true],
    ['title pr', false],
    ['schemas eq "URN:acme:2.0:user"', true],
    ['schemas eq "urn:other"', false],
    ['meta.resourceType eq "User"', true],
    [String.raw`meta.version eq "W/\"1\""`, true],
    ['meta.lastModified eq "2026-11-30T13:00:00+01:00"', true],
    ['meta.lastModified gt "2026-11-30T12:00:00Z"', false],
    ['meta.lastModified ge "2026-11-30T12:00:00Z"', true],
    ['meta.lastModified lt "2026-11-30T11:30:00-01:00"', true],
    ['urn:ACME:2.0:user:marks eq "b"', true],
    ['urn:acme:2.0:User:marks[value eq "b"]', true],
    ['urn:acme:2.0:User:marks.value eq "c"', false],
    ['urn:acme:2.0:User:level gt 2', true],
    ['active eq False', true],
    ['manager eq "scr_2"', true],
    ['department eq "Sales"', false],
    ['active ne true', true],
  ])('%s: %s', (text, expected) => expect(matches(text)).toBe(expected));

  // RFC 7644, section 3.4.2.2: "Boolean and Binary attributes SHALL cause a failed response (HTTP status code 400)".
  it.each(['active gt true', 'title le null', 'active co true'])('is rejected without an order: %s', (text) => {
    expect(() => matches(text)).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidFilter' }));
  });
});
