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

  it('reports an invalid value', () => {
    expect(() => from([{ date: 'unix' }], 'yesterday')).toThrow(
      expect.objectContaining({ message: 'is not a valid unix timestamp', value: 'yesterday' }),
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
