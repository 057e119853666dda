import { type FieldSource, type RecordKind, recordFields, recordKinds, sourceRecord } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { mapRecord, namesOf } from './map-record.js';
import { NotTransformable, sourceNames, valuesFrom } from './transform.js';

function map(
  kind: RecordKind,
  fields: Record<string, string>,
  values: Record<string, string[]>,
  listSeparator?: string,
) {
  const mapping = { kind, externalId: 'id', fields, ...(listSeparator && { listSeparator }) };
  return mapRecord(mapping, (name) => ({ id: ['1'], ...values })[name] ?? []);
}

function errorOf(kind: RecordKind, field: string, value: string): string | undefined {
  const mapped = map(kind, { [field]: 'source' }, { source: [value] });
  return 'error' in mapped ? mapped.error.message : undefined;
}

/** Returns the problem of a field, and expects that the record has every other field. */
function problemOf(kind: RecordKind, field: string, value: string): string | undefined {
  const mapped = map(kind, { [field]: 'source', display_name: 'name' }, { source: [value], name: ['Ann'] });
  expect(mapped).toMatchObject({ record: { external_id: '1', fields: { display_name: ['Ann'] } } });
  const { fields = {}, problems = [] } = 'record' in mapped ? mapped.record : {};
  expect(field in fields).toBe(problems.length === 0);
  return problems[0]?.message;
}

function valuesOf(kind: RecordKind, field: string, ...values: string[]): string[] | undefined {
  const mapped = map(kind, { [field]: 'source' }, { source: values });
  return 'record' in mapped ? mapped.record.fields[field] : undefined;
}

describe('the groups of a record', () => {
  const staff = { id: 'g1', name: 'Staff' };
  const memberships = (source: FieldSource, ...groups: { id: string; name: string }[]) => {
    const mapping = { kind: 'user' as const, externalId: 'id', fields: { groups: source } };
    const mapped = mapRecord(mapping, (name) => (name === 'id' ? ['1'] : namesOf(groups)));
    return 'record' in mapped ? mapped.record.memberships : mapped;
  };

  it('have their keys, also if two have one name', () => {
    expect(memberships('@groups', staff, { id: 'g2', name: 'Staff' })).toEqual([staff, { id: 'g2', name: 'Staff' }]);
    expect(memberships('@groups')).toEqual([]);
  });

  it('have the names that the mapping makes of them', () => {
    expect(memberships({ from: '@groups', transform: ['upper'] }, staff)).toEqual([{ id: 'g1', name: 'STAFF' }]);
  });

  it('have no keys if the source has none, or if the mapping makes several names of one', () => {
    expect(map('user', { groups: 'teams' }, { teams: ['a'] })).toEqual({
      record: { external_id: '1', fields: { groups: ['a'] } },
    });
    expect(memberships('@groups', staff, { id: '', name: 'Other' })).toBeUndefined();
    expect(memberships('@groups', { id: 'x'.repeat(1_025), name: 'Staff' })).toBeUndefined();
    expect(memberships({ from: '@groups', transform: [{ split: 'a' }] }, staff)).toBeUndefined();
  });
});

describe('mapping a record', () => {
  it('takes the first value of a single-valued field and all values of lists and attributes', () => {
    expect(valuesOf('user', 'email', ' a@x.example ', 'b@x.example')).toEqual(['a@x.example']);
    expect(valuesOf('user', 'groups', 'a', ' b')).toEqual(['a', 'b']);
    expect(valuesOf('account', 'attributes.mails', 'a', 'b')).toEqual(['a', 'b']);
  });

  it('takes the other values of an email as other emails, sorted and without those that cannot be stored', () => {
    const others = (fields: Record<string, string>, ...values: string[]) => {
      const mapped = map('account', fields, { source: values, aliases: ['z@x.example'] });
      return 'record' in mapped ? mapped.record.fields.other_emails : undefined;
    };
    const mapped = { email: 'source' };
    expect(others(mapped, 'a@x.example')).toBeUndefined();
    expect(others(mapped, 'c@x.example', 'b@x.example', ' a@x.example', 'c@x.example', 'b@x.example')).toEqual([
      'a@x.example',
      'b@x.example',
    ]);
    expect(others(mapped, 'a@x.example', 'nul\0', 'x'.repeat(20_000), '')).toBeUndefined();
    expect(others({ identifier: 'source' }, 'a@x.example', 'b@x.example')).toBeUndefined();
    expect(others({ ...mapped, other_emails: 'aliases' }, 'a@x.example', 'b@x.example')).toEqual(['z@x.example']);
    const many = Array.from({ length: 30 }, (_, at) => `m${at + 10}@x.example`);
    expect(others(mapped, 'a@x.example', ...many.reverse())).toEqual(many.reverse().slice(0, 20));
  });

  it('takes the email addresses of proxyAddresses without their type, the primary one first', () => {
    const proxies = [
      'smtp:b@x.example',
      'X500:/o=Org/cn=Ann',
      'SIP:ann@x.example',
      'SMTP:a@x.example',
      'smtp:C@x.example',
    ];
    const mapped = (fields: Record<string, string>) => {
      const found = map('user', fields, { proxies, mail: ['c@x.example'], domain: ['ann@[IPv6:2001:db8::1]'] });
      return 'record' in found ? found.record.fields : undefined;
    };
    expect(mapped({ other_emails: 'proxies', email: 'mail' })).toEqual({
      email: ['c@x.example'],
      other_emails: ['a@x.example', 'b@x.example'],
    });
    expect(mapped({ email: 'proxies' })).toEqual({
      email: ['a@x.example'],
      other_emails: ['C@x.example', 'b@x.example'],
    });
    const joined = map('user', { other_emails: 'all' }, { all: [proxies.join(';')] }, ';');
    expect('record' in joined && joined.record.fields.other_emails).toHaveLength(3);
    expect(mapped({ email: 'domain', 'attributes.raw': 'proxies' })).toEqual({
      email: ['ann@[IPv6:2001:db8::1]'],
      'attributes.raw': proxies,
    });
  });

  it('clears a field whose values are blank or absent', () => {
    expect(valuesOf('user', 'email', '  ')).toEqual([]);
    expect(valuesOf('user', 'email')).toEqual([]);
    expect(valuesOf('user', 'status', '')).toEqual([]);
    expect(valuesOf('user', 'hire_date', '')).toEqual([]);
    expect(valuesOf('user', 'job_title', '', 'Pilot')).toEqual(['Pilot']);
  });

  it('splits lists at the separator, but no other field', () => {
    const fields = { roles: 'r', job_title: 'r', 'attributes.raw': 'r' };
    expect(map('user', fields, { r: ['a; b;;c '] }, ';')).toEqual({
      record: {
        external_id: '1',
        fields: { roles: ['a', 'b', 'c'], job_title: ['a; b;;c'], 'attributes.raw': ['a; b;;c'] },
      },
    });
  });

  it('accepts every status of its kind in any case and lists them when it rejects another', () => {
    for (const kind of recordKinds) {
      for (const status of recordFields[kind].status) {
        expect(valuesOf(kind, 'status', status.toUpperCase())).toEqual([status]);
      }
      expect(errorOf(kind, 'status', 'Gone')).toBe(`status is not one of ${recordFields[kind].status.join(', ')}`);
    }
  });

  it('reads a boolean as a status if the name of its attribute says what true means', () => {
    const statusFrom = (kind: RecordKind, source: string, value: string) => {
      const mapped = map(kind, { status: source }, { [source]: [value] });
      return 'record' in mapped ? mapped.record.fields.status?.[0] : mapped.error.message;
    };
    for (const source of ['active', 'accountEnabled', 'is_active', 'Aktiv', 'profile["active"]']) {
      expect([source, statusFrom('user', source, 'true')]).toEqual([source, 'active']);
      expect([source, statusFrom('user', source, 'False')]).toEqual([source, 'inactive']);
      expect([source, statusFrom('account', source, '0')]).toEqual([source, 'disabled']);
      expect([source, statusFrom('machine_identity', source, '1')]).toEqual([source, 'active']);
      expect([source, statusFrom('account', source, 'Locked')]).toEqual([source, 'locked']);
    }
    for (const source of ['suspended', 'inactive', 'not_active', 'state'])
      expect([source, statusFrom('user', source, 'true')]).toEqual([source, expect.stringMatching(/^status is not/)]);
  });

  it('leaves out invalid classifications, dates and risk scores, and keeps the other fields', () => {
    expect(valuesOf('machine_identity', 'classification', 'CI_CD')).toEqual(['ci_cd']);
    expect(problemOf('machine_identity', 'classification', 'robot')).toContain(
      'is not one of service_account, api_key',
    );
    expect(valuesOf('user', 'hire_date', '2024-01-31')).toEqual(['2024-01-31T00:00:00.000Z']);
    const none = ['00.00.0000', '0000-00-00', '-', 'N/A', '0', 'unbefristet', '0001-01-01T00:00:00', '1899-12-30'];
    none.push('1900-01-01 00:00', '9999-12-31T23:59:59-05:00', '99991231235959Z', 'infinity', '-infinity', '-1');
    none.push('9223372032559808511', '9223372036854775807', '/Date(-62135596800000)/');
    for (const date of none) expect([date, valuesOf('user', 'termination_date', date)]).toEqual([date, []]);
    expect(valuesOf('user', 'hire_date', '31-DEC-26')).toEqual(['2026-12-31T00:00:00.000Z']);
    expect(valuesOf('user', 'termination_date', '2026-11-29T00:00:00+01:00')).toEqual(['2026-11-29T00:00:00.000Z']);
    expect(valuesOf('user', 'termination_date', '2026-11-29T08:00:00+01:00')).toEqual(['2026-11-29T07:00:00.000Z']);
    expect(problemOf('user', 'hire_date', 'offen')).toContain('hire_date is not a date');
    expect(problemOf('user', 'hire_date', '31.1.2024')).toContain('hire_date is not a date');
    expect(valuesOf('machine_identity', 'risk_score', '007')).toEqual(['7']);
    expect(valuesOf('machine_identity', 'risk_score', '100')).toEqual(['100']);
    for (const score of ['101', '-1', '1.5', 'high', '1e1']) {
      expect(problemOf('machine_identity', 'risk_score', score)).toBe('risk_score is not an integer from 0 to 100');
    }
  });

  it('leaves out a value that PostgreSQL cannot store, but not an external id', () => {
    expect(problemOf('user', 'job_title', 'a\0b')).toBe('job_title contains a NUL character or an unpaired surrogate');
    expect(problemOf('user', 'email', '\ud800')).toBe('email contains a NUL character or an unpaired surrogate');
    expect(map('user', {}, { id: ['a\0b'] })).toEqual({
      error: { message: 'id (external_id) contains a NUL character or an unpaired surrogate' },
    });
  });

  it('has the normal form of its external id, and the text of the source if that is another one', () => {
    const idOf = (id: string) => {
      const mapped = map('user', {}, { id: [id] });
      return 'record' in mapped ? [mapped.record.external_id, mapped.record.spelling] : mapped.error.message;
    };
    expect(idOf(' E0017 ')).toEqual(['E0017', undefined]);
    expect(idOf('e0017')).toEqual(['e0017', undefined]);
    expect(idOf('M\u00fcller')).toEqual(['M\u00fcller', undefined]);
    for (const spelling of ['\uff25\uff10\uff10\uff11\uff17', 'E0017\u200b', '\u200eE00\u00ad17'])
      expect(idOf(spelling)).toEqual(['E0017', spelling]);
    expect(idOf('Mu\u0308ller')).toEqual(['M\u00fcller', 'Mu\u0308ller']);
    expect(idOf('a\u00a0b')).toEqual(['a b', 'a\u00a0b']);
    expect(idOf('\u200b')).toBe('id (external_id) is missing');
    expect(idOf('\ufdfa'.repeat(300))).toBe('id (external_id) is longer than 1024 bytes');
  });

  it('requires an external id of at most 1024 bytes', () => {
    expect(map('user', {}, { id: [' '] })).toEqual({ error: { message: 'id (external_id) is missing' } });
    expect(map('user', {}, { id: ['x'.repeat(1025)] })).toEqual({
      error: { message: 'id (external_id) is longer than 1024 bytes' },
    });
    expect(map('user', {}, { id: ['é'.repeat(513)] })).toHaveProperty('error');
    const longest = map('user', {}, { id: ['é'.repeat(512)] });
    expect('record' in longest && sourceRecord.safeParse(longest.record).success).toBe(true);
  });

  it('rejects values of more than 16 KiB and reports the record id', () => {
    expect(valuesOf('user', 'job_title', 'é'.repeat(8192))).toHaveLength(1);
    expect(map('user', { job_title: 't' }, { t: ['é'.repeat(8193)] })).toEqual({
      error: { external_id: '1', message: 'job_title is longer than 16 KiB' },
    });
  });

  it('rejects a record with too many values and reports the field and the numbers', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `tag ${at}`);
    expect(valuesOf('user', 'attributes.tags', ...many(1_000))).toHaveLength(1_000);
    expect(map('user', { 'attributes.tags': 't' }, { t: many(20_000) })).toEqual({
      error: { external_id: '1', message: 'attributes.tags has 20 000 values, 1 000 are allowed' },
    });
    expect(map('user', { groups: 'g' }, { g: [many(1_001).join(';')] }, ';')).toEqual({
      error: { external_id: '1', message: 'groups has 1 001 values, 1 000 are allowed' },
    });
  });

  it('rejects a record whose values together are too large', () => {
    const mapped = map(
      'user',
      { 'attributes.notes': 'n' },
      { n: Array.from({ length: 40 }, () => 'x'.repeat(10_000)) },
    );
    expect(mapped).toEqual({
      error: { external_id: '1', message: 'the record has 400 123 bytes of values, 262 144 are allowed' },
    });
  });

  it('takes the first of many values for a single-valued field', () => {
    expect(valuesOf('user', 'job_title', ...Array.from({ length: 5_000 }, () => 'Pilot'))).toEqual(['Pilot']);
  });
});

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
