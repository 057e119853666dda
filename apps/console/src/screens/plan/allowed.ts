import { formatCount } from '../../components/format-time.js';

/** The bound of a safeguard in words: a run is held above both numbers, so the greater one is allowed. */
export function allowedOf(bound: { max_percent?: number; max_records?: number }): string | undefined {
  const { max_percent: percent, max_records: records } = bound;
  if (percent === undefined) return undefined;
  if (records === undefined) return `Allowed: ${percent} %`;
  if (percent === 0 && records === 0) return 'Allowed: none';
  return `Allowed: ${percent} % or ${formatCount(records)} ${records === 1 ? 'record' : 'records'}, whichever is more`;
}
