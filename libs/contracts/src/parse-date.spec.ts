import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseDate } from './parse-date.js';

describe('a date', () => {
  it('is read from ISO dates, ISO date-times and GeneralizedTime', () => {
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
      '2024022908.5Z': '2024-02-29T08:30:00.000Z',
    };
    for (const [text, iso] of Object.entries(cases)) expect([text, parseDate(text)]).toEqual([text, iso]);
  });

  it('is not made up from what is none', () => {
    for (const text of [
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31T00:00',
      '2024-01-01T24:00',
      '2024-01-01T10:60',
      '2024-01-01T10:00+25:00',
      '0001-01-01',
      '9999-12-31T23:59:59-01:00',
      '20240229083015',
      '20240229',
      '29.02.2024',
      '02/29/2024',
      '1709164800',
      '',
      'today',
    ]) {
      expect([text, parseDate(text)]).toEqual([text, undefined]);
    }
  });

  it('comes back the same for any moment', () => {
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
