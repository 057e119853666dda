const longestMs = 24 * 60 * 60 * 1_000;

/** Milliseconds that a `Retry-After` asks for, a day at the most, in seconds or as a date; undefined if it says nothing we understand. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * 1_000, longestMs);
  // A date begins with a day of the week; Date.parse takes much else for one.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - now, 0), longestMs);
}
