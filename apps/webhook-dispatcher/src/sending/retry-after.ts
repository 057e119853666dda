const maxMs = 24 * 60 * 60 * 1_000;

/** Parses `Retry-After` (seconds or a date) into milliseconds, at most a day; undefined if it is invalid. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * 1_000, maxMs);
  // An HTTP date begins with a weekday; Date.parse accepts many other texts.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - now, 0), maxMs);
}
