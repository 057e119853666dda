import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRealDate, parseDate, parseDay } from './parse-date.js';

describe('parseDate', () => {
  it('reads ISO dates, ISO date-times and GeneralizedTime', () => {
    const cases = {
      '2024-02-29': '2024-02-29T00:00:00.000Z',
      '2024-02-29T08:30': '2024-02-29T08:30:00.000Z',
      '2024-02-29 08:30:15': '2024-02-29T08:30:15.000Z',
      '2024-02-29T08:30:15.123456Z': '2024-02-29T08:30:15.123Z',
      '2024-02-29T00:30:00+02:00': '2024-02-28T22:30:00.000Z',
      '2024-02-29T00:30:00-0530': '2024-02-29T06:00:00.000Z',
      '20240229083015Z': '2024-02-29T08:30:15.000Z',
      '20240229083015.0Z': '2024-02-29T08:30:15.000Z',
      '20240229083015,25+0100': '2024-02-29T07:30:15.250Z',
      '202402290830Z': '2024-02-29T08:30:00.000Z',
      '202402290830.5Z': '2024-02-29T08:30:30.000Z',
      '2024-02-29T23:59:59-23:59': '2024-03-01T23:58:59.000Z',
      '2024-02-29T05:59:00+05:59': '2024-02-29T00:00:00.000Z',
      '2024-02-29T05:00:00+05': '2024-02-29T00:00:00.000Z',
      '2024022908.5Z': '2024-02-29T08:30:00.000Z',
    };
    for (const [text, iso] of Object.entries(cases)) expect([text, parseDate(text)]).toEqual([text, iso]);
  });

  it('reads the forms of Workday, Oracle, .NET and SAP', () => {
    const cases = {
      '2026-11-28-08:00': '2026-11-28T00:00:00.000Z',
      '2026-11-28+14:00': '2026-11-28T00:00:00.000Z',
      '2026-11-28Z': '2026-11-28T00:00:00.000Z',
      '31-DEC-26': '2026-12-31T00:00:00.000Z',
      '1-Jan-69': '1969-01-01T00:00:00.000Z',
      '29-FEB-2024': '2024-02-29T00:00:00.000Z',
      '/Date(1764288000000)/': '2025-11-28T00:00:00.000Z',
      '/Date(1764288000000+0100)/': '2025-11-28T00:00:00.000Z',
      '/Date(-62135596800000)/': '0001-01-01T00:00:00.000Z',
      '20261128': '2026-11-28T00:00:00.000Z',
    };
    for (const [text, iso] of Object.entries(cases)) expect([text, parseDate(text)]).toEqual([text, iso]);
  });

  it('returns undefined for text that is not a valid date', () => {
    for (const text of [
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31T00:00',
      '2024-01-01T24:00',
      '2024-01-01T10:60',
      '2024-01-01T10:00:60Z',
      '2024-01-01T10:00+24:00',
      '2024-01-01T10:00+01:60',
      '9999-12-31T23:59:59-01:00',
      '20240229083015',
      'since 2024-01-01',
      '2024-01-01 or later',
      '1 20240229083015Z',
      '20240229083015Z or later',
      '20240230',
      '202402291',
      '31-DEZ-26',
      '31-NOV-26',
      '31-DEC-026',
      '2026-11-28-24:00',
      '2026-11-28 08:00-',
      '/Date(8640000000000001)/',
      '/Date(2026-11-28)/',
      '29.02.2024',
      '02/29/2024',
      '1709164800',
      '',
      'today',
    ]) {
      expect([text, parseDate(text)]).toEqual([text, undefined]);
    }
  });

  it('reads any ISO timestamp back unchanged', () => {
    const moments = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, (moment) => {
        const iso = moment.toISOString();
        expect(parseDate(iso)).toBe(iso);
        expect(parseDate(iso.replace(/[-:T]/g, ''))).toBe(iso);
      }),
    );
  });
});

describe('parseDay', () => {
  it('reads midnight in its own offset as that day, and other times as moments', () => {
    const cases = {
      '2026-11-29': '2026-11-29T00:00:00.000Z',
      '2026-11-29T00:00:00+01:00': '2026-11-29T00:00:00.000Z',
      '2026-11-29 00:00-0500': '2026-11-29T00:00:00.000Z',
      '2026-11-29T00:00:00.000+14': '2026-11-29T00:00:00.000Z',
      '20261129000000.0+0100': '2026-11-29T00:00:00.000Z',
      '2026112900-0500': '2026-11-29T00:00:00.000Z',
      '2026-11-28T23:00:00Z': '2026-11-28T23:00:00.000Z',
      '2026-11-29T00:00:01+01:00': '2026-11-28T23:00:01.000Z',
      '2026-11-29T00:00:00.5+01:00': '2026-11-28T23:00:00.500Z',
      '2026-11-29T00:00:00+24:00': undefined,
      '2026-11-31T00:00:00+01:00': undefined,
    };
    for (const [text, iso] of Object.entries(cases)) expect([text, parseDay(text)]).toEqual([text, iso]);
  });
});

describe('a real date', () => {
  it('is none of the dates by which sources mean no date', () => {
    const none = [
      '0001-01-01',
      '1753-01-01',
      '1899-12-30',
      '1900-01-01T23:59:59-05:00',
      '9999-12-31',
      '9999-12-31T23:00:00+01:00',
    ];
    for (const text of none) expect([text, isRealDate(parseDate(text) ?? '')]).toEqual([text, false]);
    for (const text of ['1900-01-03', '1970-01-01', '2026-11-28', '9998-12-31'])
      expect([text, isRealDate(parseDate(text) ?? '')]).toEqual([text, true]);
  });
});
