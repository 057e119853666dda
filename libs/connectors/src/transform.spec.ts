import type { FieldSource } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { NotTransformable, sourceNames, valuesFrom } from './transform.js';

const from = (transform: Extract<FieldSource, { transform: unknown }>['transform'], ...values: string[]) =>
  valuesFrom({ from: 'x', transform }, (name) => (name === 'x' ? values : []));

describe('a field of a mapping', () => {
  it('is what stands under its name, a constant, or what the steps make of it, one after another', () => {
    expect(valuesFrom('x', () => ['A '])).toEqual(['A ']);
    expect(valuesFrom({ value: 'bot' }, () => ['A'])).toEqual(['bot']);
    expect(from(['trim', 'lower', { split: ',' }], ' B,a ')).toEqual(['b', 'a']);
    expect(from([{ split: '; ' }, 'upper'], 'x; y', 'z')).toEqual(['X', 'Y', 'Z']);
  });

  it('takes other values by name, whatever their case, and leaves or replaces the rest', () => {
    const map = { true: 'active', FALSE: 'inactive' };
    expect(from([{ map }], 'True', 'false', 'maybe')).toEqual(['active', 'inactive', 'maybe']);
    expect(from([{ map, otherwise: 'pending' }], 'maybe')).toEqual(['pending']);
  });

  it('reads dates as sources write them', () => {
    expect(from([{ date: 'unix' }], '1767225600')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(from([{ date: 'unix_ms' }], '1767225600000')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(from([{ date: 'windows' }], '134116992000000000')).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(from([{ date: 'windows' }], '0', '9223372036854775807', '')).toEqual([]);
    expect(from([{ date: 'dmy' }], '1.2.2026')).toEqual(['2026-02-01']);
    expect(from([{ date: 'mdy' }], '1/2/2026')).toEqual(['2026-01-02']);
  });

  it('says which value is none', () => {
    expect(() => from([{ date: 'unix' }], 'yesterday')).toThrow(
      new NotTransformable('"yesterday" is not a number of unix time'),
    );
    expect(() => from([{ date: 'dmy' }], '2026-01-02')).toThrow(NotTransformable);
    expect(() => from([{ date: 'unix' }], '9999999999999999999')).toThrow(NotTransformable);
  });

  it('names what it reads of the source', () => {
    const fields = {
      email: 'mail',
      status: { from: 'enabled', transform: ['lower' as const] },
      classification: { value: 'bot' },
    };
    expect(sourceNames({ external_id: 'id', fields })).toEqual(['id', 'mail', 'enabled']);
  });
});
