import { schedule } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkSchedule, nextRun } from './next-run.js';

const at = (time: string) => new Date(`2026-${time}Z`);
const due = (given: object, now: Date, last?: Date) =>
  nextRun(schedule.parse(given), { now, ...(last && { last }) }, 0)?.due.toISOString();

describe('a schedule', () => {
  it('with an interval keeps its steps and combines missed runs into one', () => {
    const every = { every: '15m' };
    expect(due(every, at('01-01T10:00:00'))).toBe('2026-01-01T10:15:00.000Z');
    expect(due(every, at('01-01T10:15:07'), at('01-01T10:15:00'))).toBe('2026-01-01T10:30:00.000Z');
    expect(due(every, at('01-01T10:30:00'), at('01-01T10:15:00'))).toBe('2026-01-01T10:45:00.000Z');
    expect(due(every, at('01-02T03:01:00'), at('01-01T10:15:00'))).toBe('2026-01-02T03:15:00.000Z');
  });

  it('with cron follows its time zone, including daylight saving changes', () => {
    const nightly = { cron: '30 2 * * *', time_zone: 'Europe/Berlin' };
    expect(due(nightly, at('03-27T12:00:00'))).toBe('2026-03-28T01:30:00.000Z');
    // 02:30 does not exist in that night.
    expect(due(nightly, at('03-28T12:00:00'))).toBe('2026-03-29T01:00:00.000Z');
    // 02:30 exists twice; there is one run.
    expect(due(nightly, at('10-24T12:00:00'))).toBe('2026-10-25T00:30:00.000Z');
    expect(due(nightly, at('10-25T00:30:00'))).toBe('2026-10-26T01:30:00.000Z');
    expect(due({ cron: '@daily' }, at('03-27T12:00:00'))).toBe('2026-03-28T00:00:00.000Z');
  });

  it('without a jitter begins within a tenth of its interval, at most within a minute', () => {
    const lateBy = (given: object, chance: number) => {
      const run = nextRun(schedule.parse(given), { now: at('01-01T10:00:00') }, chance);
      return run && run.begins.getTime() - run.due.getTime();
    };
    expect(lateBy({ every: '5m' }, 0.5)).toBe(15_000);
    expect(lateBy({ every: '1d' }, 0.5)).toBe(30_000);
    expect(lateBy({ cron: '@daily' }, 0.5)).toBe(30_000);
    expect(lateBy({ every: '5m', jitter: '1m' }, 0.123_456)).toBe(7_407);
  });

  it('that is paused plans no run', () => {
    expect(due({ every: '1m', paused: true }, at('01-01T10:00:00'))).toBeUndefined();
  });

  it('with a cron that never matches plans no run', () => {
    expect(due({ cron: '0 0 30 2 *' }, at('01-01T10:00:00'))).toBeUndefined();
  });

  it('plans every run after now and starts it within its jitter', () => {
    const times = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
    const schedules = fc.constantFrom(
      { every: '1m' },
      { every: '7h', jitter: '1h' },
      { cron: '*/5 * * * *', time_zone: 'America/New_York', jitter: '30s' },
    );
    fc.assert(
      fc.property(
        schedules,
        times,
        times,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (given, now, last, chance) => {
          const run = nextRun(schedule.parse(given), { now, last }, chance);
          expect(run?.due.getTime()).toBeGreaterThan(now.getTime());
          const late = (run?.begins.getTime() ?? 0) - (run?.due.getTime() ?? 0);
          expect(late).toBeGreaterThanOrEqual(0);
          expect(late).toBeLessThan(given.jitter === '1h' ? 3_600_000 : given.jitter ? 30_000 : 60_000);
        },
      ),
    );
  });

  it('is rejected with the reason', () => {
    const check = (cron: string, time_zone?: string) => checkSchedule(schedule.parse({ cron, time_zone }));
    expect(check('0 3 * * *', 'Europe/Berlin')).toBeUndefined();
    const parts = 'cron must have five parts: minute, hour, day of the month, month, day of the week';
    for (const cron of ['', '* * * *', '*/5 * * * * *', '2030-01-01T00:00:00', '@every'])
      expect(check(cron)).toBe(parts);
    expect(check('61 * * * *')).toBe('cron is malformed');
    expect(check('0 0 30 2 *')).toBe('cron never matches a date');
    expect(check('0 3 * * *', 'Atlantis/Poseidonis')).toBe('time_zone "Atlantis/Poseidonis" is unknown');
  });

  it.each([
    [{}, 'must have either every or cron'],
    [{ every: '1h', cron: '@daily' }, 'must have either every or cron'],
    [{ every: '59s' }, 'must be a duration such as 90s, 15m, 6h or 1d, of 1m to 31d'],
    [{ every: '32d' }, 'must be a duration such as 90s, 15m, 6h or 1d, of 1m to 31d'],
    [{ every: 'PT1H' }, 'must be a duration such as 90s, 15m, 6h or 1d, of 1m to 31d'],
    [{ every: '1h', time_zone: 'UTC' }, 'goes with cron only'],
    [{ every: '1h', jitter: '2h' }, 'must be a duration such as 90s, 15m, 6h or 1d, of at most 1h'],
  ])('refuses %j', (given, message) => {
    expect(schedule.safeParse(given).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});
