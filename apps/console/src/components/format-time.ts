type Zone = 'local' | 'UTC';

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** `3 hr. ago`, or `now` within the last half minute. */
export function timeAgo(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  if (Math.abs(seconds) < 30) return 'now';
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(Math.trunc(seconds), 'second');
}

/** `2026-11-24 13:05:09 UTC`. Sortable, and the same in all countries; local times have the offset instead. */
export function formatTime(at: string, zone: Zone): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  if (zone === 'UTC') return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const offset = -date.getTimezoneOffset();
  const shifted = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
  return `${shifted} ${offset < 0 ? '−' : '+'}${hours}:${minutes}`;
}

/** `1 h 12 min`, `38 s`, `420 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 60)} h`;
}

const number = new Intl.NumberFormat('en');

/** `12,040`; `500+` if the service counted only that far. */
export function formatCount(count: number, isEstimate = false): string {
  return `${number.format(count)}${isEstimate ? '+' : ''}`;
}

/** A count of the API that may have stopped at a limit. */
interface Counted {
  count: number;
  exact: boolean;
}

export const formatCounted = ({ count, exact }: Counted) => formatCount(count, !exact);

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function sumOfCounts(counts: readonly Counted[]): Counted {
  return { count: sumOf(counts.map(({ count }) => count)), exact: counts.every(({ exact }) => exact) };
}
