import type { FieldSource } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { NotTransformable, sourceNames, valuesFrom } from './transform.js';

const from = (transform: Extract<FieldSource, { transform: unknown }>['transform'], ...values: string[]) =>
  valuesFrom({ from: 'x', transform }, (name) => (name === 'x' ? values : []));

describe('a mapped field', () => {
  it('takes the source value, a constant, or the result of all transform steps in order', () => {
    expect(valuesFrom('x', () => ['A '])).toEqual(['A ']);
    expect(valuesFrom({ value: 'bot' }, () => ['A'])).toEqual(['bot']);
    expect(from(['trim', 'lower', { split: ',' }], ' B,a ')).toEqual(['b', 'a']);
    expect(from([{ split: '; ' }, 'upper'], 'x; y', 'z')).toEqual(['X', 'Y', 'Z']);
  });

  it('maps values ignoring case and leaves or replaces unmapped values', () => {
    const map = { true: 'active', FALSE: 'inactive' };
    expect(from([{ map }], 'True', 'false', 'maybe')).toEqual(['active', 'inactive', 'maybe']);
    expect(from([{ map, otherwise: 'pending' }], 'maybe')).toEqual(['pending']);
  });

  it('parses the date formats of sources', () => {
    expect(from([{ date: 'unix' }], '1767225600')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(from([{ date: 'unix_ms' }], '1767225600000')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(from([{ date: 'windows' }], '134116992000000000')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(from([{ date: 'windows' }], '0', '9223372036854775807', '')).toEqual([]);
    expect(from([{ date: 'dmy' }], '1.2.2026')).toEqual(['2026-02-01']);
    expect(from([{ date: 'mdy' }], '1/2/2026')).toEqual(['2026-01-02']);
  });

  it('parses years of two digits as 1969 to 2068, and ignores the time of a day', () => {
    const dmy = ['1.2.68', '01/02/69', '31-12-99', '31.12.2026 00:00', '31.12.26 23:59:59'];
    expect(from([{ date: 'dmy' }], ...dmy)).toEqual([
      '2068-02-01',
      '1969-02-01',
      '1999-12-31',
      '2026-12-31',
      '2026-12-31',
    ]);
    expect(from([{ date: 'mdy' }], '12/31/26')).toEqual(['2026-12-31']);
    expect(from([{ date: 'ymd' }], '2026/1/31', '20260131', '2026.01.31')).toEqual(Array(3).fill('2026-01-31'));
    for (const value of ['1.2.026', '31.2.2026', '1.13.2026', '2026.1.2', '1.2.', '1.2.2026 noon']) {
      expect(() => from([{ date: 'dmy' }], value)).toThrow('is not a date of the form dmy');
    }
    expect(() => from([{ date: 'ymd' }], '31.01.2026')).toThrow(NotTransformable);
  });

  it('parses serial numbers of Excel', () => {
    const serials = ['61', '36526', '46053', '46053.75', '46053,5', '2958100'];
    expect(from([{ date: 'excel' }], ...serials)).toEqual([
      '1900-03-01',
      '2000-01-01',
      '2026-01-31',
      '2026-01-31',
      '2026-01-31',
      '9998-12-31',
    ]);
    expect(from([{ date: 'excel_1904' }], '44591')).toEqual(['2026-01-31']);
    for (const value of ['60', '3', '2958466', '-2', '20260131', '1e5']) {
      expect(() => from([{ date: 'excel' }], value)).toThrow('is not a date of the form excel');
    }
  });

  it('returns no value for a date that means none in its form', () => {
    expect(from([{ date: 'excel' }], '0', '1', '2', '2.5', '2958465')).toEqual([]);
    expect(from([{ date: 'unix' }], '0', '-1', '-62135596800', '253402300799')).toEqual([]);
    expect(from([{ date: 'unix_ms' }], '0', '-1')).toEqual([]);
    expect(from([{ date: 'windows' }], '0', '9223372032559808511', '9223372036854775807')).toEqual([]);
    expect(from([{ date: 'iso' }], '9999-12-31T23:59:59-01:00', 'infinity', '-infinity', '/Date(0)/')).toEqual([]);
    expect(from([{ date: 'dmy' }], '01.01.0001', '30.12.1899', '1.1.1900 00:00', '31.12.9999')).toEqual([]);
    expect(from([{ date: 'ymd' }], '00010101', '99991231')).toEqual([]);
  });

  it('converts forms of single systems to ISO 8601', () => {
    expect(from([{ date: 'iso' }], '31-DEC-26', '/Date(1764288000000)/', '2026-11-28-08:00', '2026-11-28')).toEqual([
      '2026-12-31',
      '2025-11-28T00:00:00.000Z',
      '2026-11-28',
      '2026-11-28',
    ]);
  });

  it('parses each value of a field by the first form that fits', () => {
    const date = ['iso', 'dmy', 'excel'] as const;
    expect(from([{ date: [...date] }], '2026-01-31', '31.1.26', '46053', '')).toEqual([
      '2026-01-31',
      '2026-01-31',
      '2026-01-31',
    ]);
    expect(() => from([{ date: [...date] }], '1/31/2026')).toThrow('is not a date of the form iso or dmy or excel');
  });

  it('reports an invalid value', () => {
    expect(() => from([{ date: 'unix' }], 'yesterday')).toThrow(
      expect.objectContaining({ message: 'is not a date of the form unix', value: 'yesterday' }),
    );
    expect(() => from([{ date: 'dmy' }], '2026-01-02')).toThrow(NotTransformable);
    expect(() => from([{ date: 'unix' }], '9999999999999999999')).toThrow(NotTransformable);
  });

  it('lists the source fields that it reads', () => {
    const fields = {
      email: 'mail',
      status: { from: 'enabled', transform: ['lower' as const] },
      classification: { value: 'bot' },
    };
    expect(sourceNames({ external_id: 'id', fields })).toEqual(['id', 'mail', 'enabled']);
  });
});
