import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparedText } from './compared-text.js';
import { decodeId, encodeId, isUuid, newUuid, uuidCreatedAt } from './ids.js';
import { network } from './network.js';
import { isRealDate, parseDate, parseDay } from './parse-date.js';
import { parseUrl } from './parse-url.js';

describe('a text as it is compared', () => {
  it.each([
    ['outer spaces', ' A 17 ', 'A 17'],
    ['an accent of its own', 'Zoe\u0308', 'Zoë'],
    ['full-width digits', '１７', '17'],
    ['no-break spaces', 'Ann\u00a0Lee\u202f', 'Ann Lee'],
    ['a zero-width space, joiner or mark', '\ufeff1\u200b7\u200d\u2060', '17'],
    ['marks of direction', '\u202aann@x.org\u202c\u200e\u2066\u2069', 'ann@x.org'],
    ['a soft hyphen', 'Schmidt\u00adbauer', 'Schmidtbauer'],
  ])('has no trace of %s', (_, text, expected) => {
    expect(comparedText(text)).toBe(expected);
  });
});

describe('public ids', () => {
  it('can be decoded to the same uuid', () => {
    fc.assert(fc.property(fc.uuid(), (uuid) => expect(decodeId('user', encodeId('user', uuid))).toBe(uuid)));
  });

  it('match the example of the TypeID specification', () => {
    expect(encodeId('identity', '00000000-0000-0000-0000-000000000000')).toBe('idn_00000000000000000000000000');
    expect(encodeId('identity', 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('idn_7zzzzzzzzzzzzzzzzzzzzzzzzz');
    expect(encodeId('identity', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('idn_01h455vb4pex5vsknk084sn02q');
  });

  it('are rejected with another prefix, length or alphabet, or with more than 128 bits', () => {
    for (const text of [
      'usr_01h455vb4pex5vsknk084sn02q',
      'idn_01h455vb4pex5vsknk084sn02',
      'idn_01H455VB4PEX5VSKNK084SN02Q',
      'idn_01h455vb4pex5vsknk084sn02l',
      'idn_80000000000000000000000000',
      '',
    ]) {
      expect(decodeId('identity', text)).toBeUndefined();
    }
  });

  it('are UUIDv7 in ascending order within a process', () => {
    const made = Array.from({ length: 10_000 }, () => newUuid());
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((uuid) => isUuid(uuid) && uuid.charAt(14) === '7' && '89ab'.includes(uuid.charAt(19)))).toBe(
      true,
    );
  });

  it('contain the time of their creation', () => {
    expect(uuidCreatedAt('01890a5d-ac96-774b-bcce-b302099a8057')).toBe(0x01890a5dac96);
    const began = Date.now();
    // The counter of a busy process may run ahead of its clock.
    expect(uuidCreatedAt(newUuid())).toBeGreaterThanOrEqual(began);
    expect(uuidCreatedAt('0e6a4b0c-6f6a-4f0e-9d54-0c6f2f0c9d1b')).toBeUndefined();
  });
});

describe('a network', () => {
  it.each(['192.0.2.1', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::/0'])(
    'is valid: %s',
    (text) => {
      expect(network.safeParse(text).success).toBe(true);
    },
  );

  it.each([
    '',
    '192.0.2',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/',
    '192.0.2.0/24/1',
    '::/129',
    'fe80::1%eth0',
    'localhost',
    '192.0.2.1 ',
  ])('is refused: %j', (text) => {
    expect(network.safeParse(text).error?.issues[0]?.message).toContain('must be an IP address or a range');
  });
});

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

describe('the URL of a text', () => {
  it.each([
    ['HTTPS://Example.COM', undefined, 'https://example.com/'],
    ['/next?page=2', new URL('https://example.com/users'), 'https://example.com/next?page=2'],
    ['https://b\u00fccher.example/', undefined, 'https://xn--bcher-kva.example/'],
  ])('is normalized: %j with the base %s', (text, base, expected) => {
    expect(parseUrl(text, base)?.href).toBe(expected);
  });

  it.each(['', 'example.com', 'https://', 'http://[::1'])('is undefined for %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });

  it('with letters beyond ASCII is the same the first time and the hundred-thousandth', () => {
    const refused = Array.from({ length: 100_000 }, () => parseUrl('https://b\u00fccher.example/')).filter(
      (url) => url === undefined,
    );
    expect(refused).toEqual([]);
  });
});
