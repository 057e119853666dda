import { describe, expect, it } from '@jest/globals';
import { fieldMap } from './field-map.js';

const wrong = (source: unknown) => fieldMap.safeParse({ email: source }).error?.issues[0]?.message;

describe('a field mapping', () => {
  it('accepts names, transform steps and constants', () => {
    const map = {
      email: 'mail',
      departments: { from: 'ou', transform: ['trim', { split: ';' }] },
      status: { from: 's', transform: [{ map: { A: 'active' }, otherwise: 'inactive' }] },
      'attributes.source': { value: 'HR' },
    };
    expect(fieldMap.parse(map)).toEqual(map);
  });

  it('reports an invalid step and the allowed ones', () => {
    expect(wrong(7)).toBe('must be a name of the source, {from, transform} or {value}');
    expect(wrong({ from: 'mail', transform: ['trim', { lowercase: true }] })).toBe(
      'must be of known steps; step 2 must be trim, lower, upper, {split}, {date} or {map}',
    );
    expect(wrong({ from: 'mail', transform: 'trim' })).toBe(
      'must have `from` and a list of one to ten steps in `transform`',
    );
    expect(wrong({ transform: ['trim'] })).toBe('must have `from` and a list of one to ten steps in `transform`');
  });

  it('accepts several forms of a date, unless they read the same value as different days', () => {
    const dates = (date: unknown) => fieldMap.safeParse({ hire_date: { from: 'x', transform: [{ date }] } }).success;
    expect(dates('excel')).toBe(true);
    expect(dates(['iso', 'dmy', 'excel'])).toBe(true);
    for (const refused of [[], ['dmy', 'mdy'], ['excel', 'iso', 'excel_1904'], ['roman'], 'roman']) {
      expect(dates(refused)).toBe(false);
    }
  });

  it('has at most 250 fields', () => {
    const mapping = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`attributes.a${nth}`, 'column']));
    expect(fieldMap.safeParse(mapping(250)).success).toBe(true);
    expect(fieldMap.safeParse(mapping(251)).error?.issues[0]?.message).toBe('must map at most 250 fields, not 251');
  });
});
