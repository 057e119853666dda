/** A value of a record on one line. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  if (Array.isArray(value)) return value.length === 0 ? '—' : value.map(shownValue).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  // A date without a time, such as a date of hire.
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text;
}
