import { describe, expect, it } from '@jest/globals';
import { columnValues, marksDeleted } from './column-values.js';
import type { Column } from './session.js';

const column = (kind: Column['kind']): Column => ({ name: 'left_at', kind, type: 'any', orderable: true });

describe('a zero date of MySQL', () => {
  it.each([
    ['DATE', column('date'), '0000-00-00'],
    ['DATETIME', column('time'), '0000-00-00 00:00:00'],
    ['DATETIME(6)', column('time'), '0000-00-00 00:00:00.000000'],
    ['TIMESTAMP', { ...column('time'), zoned: true }, '0000-00-00 00:00:00'],
  ])('in a %s column is a missing date and does not mark a row as deleted', (_type, dated, text) => {
    expect(columnValues(dated, text)).toEqual([]);
    expect(marksDeleted(dated, text, undefined)).toBe(false);
  });

  it('is text in a text column', () => {
    expect(columnValues(column('text'), '0000-00-00')).toEqual(['0000-00-00']);
    expect(marksDeleted(column('text'), '0000-00-00', undefined)).toBe(true);
  });

  it('counts as deletion mark if it is configured as one', () => {
    expect(marksDeleted(column('time'), '0000-00-00 00:00:00', ['0000-00-00 00:00:00'])).toBe(true);
  });
});

describe('a date that means none', () => {
  it.each(['9999-12-31', '0001-01-01 00:00:00', 'infinity'])('%s does not mark a row as deleted', (text) => {
    expect(marksDeleted(column('time'), text, undefined)).toBe(false);
  });
});
