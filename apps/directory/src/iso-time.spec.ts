import { describe, expect, it } from '@jest/globals';
import { isoTime } from './iso-time.js';

describe('a time as text', () => {
  it('is the time given, whatever was written before', () => {
    const [first, second] = [new Date('2026-01-01T00:00:00.123Z'), new Date('2026-01-02')];
    const written = [first, first, second, first].map(isoTime);
    expect(written).toEqual([first, first, second, first].map((time) => time.toISOString()));
  });

  it('follows a date that changes', () => {
    const time = new Date('2026-01-01');
    isoTime(time);
    time.setTime(0);
    expect(isoTime(time)).toBe('1970-01-01T00:00:00.000Z');
  });
});
