import { expect, it } from '@jest/globals';
import { formatCount, formatDuration, formatTime, timeAgo } from './format-time.js';

const now = Date.parse('2026-11-24T12:00:00Z');

it('states how long ago a time was, in the largest whole unit', () => {
  const ago = (at: string) => timeAgo(at, now);
  expect([
    ago('2026-11-24T11:59:50Z'),
    ago('2026-11-24T11:59:00Z'),
    ago('2026-11-24T09:01:00Z'),
    ago('2026-11-22T09:00:00Z'),
    ago('2026-11-24T14:00:00Z'),
  ]).toEqual(['now', '1 min. ago', '2 hr. ago', '2 days ago', 'in 2 hr.']);
});

it('shows a time in UTC, and text that is no time as it is', () => {
  expect(formatTime('2026-11-24T12:00:01.123Z', 'UTC')).toBe('2026-11-24 12:00:01 UTC');
  expect(formatTime('soon', 'local')).toBe('soon');
});

it('shows durations and counts', () => {
  expect([420, 38_000, 60_000, 61_000, 3_600_000, 4_320_000].map(formatDuration)).toEqual([
    '420 ms',
    '38 s',
    '1 min',
    '1 min 1 s',
    '1 h',
    '1 h 12 min',
  ]);
  expect([formatCount(12_040), formatCount(500, true)]).toEqual(['12,040', 'more than 500']);
});
