import { describe, expect, it } from '@jest/globals';
import { limitsOf, scheduleOf } from './describe-source.js';

const schedule = { paused: false, full_every: 1, full_every_hours: 24 };

describe('a source as the console describes it', () => {
  it.each([
    [undefined, 'Manual'],
    [{ ...schedule, every: '15m' }, 'Every 15m, a full read within 24 h'],
    [{ ...schedule, every: '15m', paused: true }, 'Every 15m, a full read within 24 h (paused)'],
    [
      { ...schedule, cron: '0 6 * * *', time_zone: 'Europe/Berlin' },
      'At 0 6 * * * in Europe/Berlin, a full read within 24 h',
    ],
  ])('says when it is read', (given, words) => {
    expect(scheduleOf(given)).toBe(words);
  });

  it('shows both bounds of each limit of the safeguard', () => {
    expect(
      limitsOf({ within_hours: 24, max_deleted_percent: 10, max_deleted_records: 20, changed_fields: [] }),
    ).toEqual([['Deleted', '10 % and 20 records']]);
  });
});
