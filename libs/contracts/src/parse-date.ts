const isoDate =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(?:(\d{2})(\d{2})?)?(?:[.,](\d+))?(Z|[+-]\d{2}(?:\d{2})?)$/;
const zonedDay = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i;
const zonedMidnight = /^(\d{4})-?(\d{2})-?(\d{2})[T ]?00(?::?00){0,2}(?:[.,]0+)?\s?[+-]\d{2}(?::?\d{2})?$/i;
const compactDay = /^(\d{4})(\d{2})(\d{2})$/;
const oracleDay = /^(\d{1,2})-([a-z]{3})-(\d{2}|\d{4})$/i;
const dotNetTime = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Converts an ISO date, date-time or LDAP GeneralizedTime to ISO 8601 in UTC with milliseconds, and also an `xs:date`
 * with a zone, which stays that day, `31-DEC-26`, `20261231` and `/Date(…)/`. Returns undefined for other text.
 */
export function parseDate(text: string): string | undefined {
  const match = isoDate.exec(text) ?? generalizedTime.exec(text) ?? isoDate.exec(isoForm(text));
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  // `Date.UTC` would take the year 1 as 1901.
  date.setUTCFullYear(year, month - 1, day);
  // The 30th of February would be a day in March.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(match[8] ?? 'Z');
  if (offset === undefined) return undefined;
  const time = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fractionMs(match);
  const iso = new Date(time).toISOString();
  return /^\d/.test(iso) ? iso : undefined;
}

/** Converts a date as `parseDate` does, except that midnight in its own offset is the whole day, not a moment in UTC. */
export function parseDay(text: string): string | undefined {
  const moment = parseDate(text);
  const day = zonedMidnight.exec(text)?.slice(1).join('-');
  return moment && day ? parseDate(day) : moment;
}

/** Returns a date in the form of a single system as ISO 8601, and any other text unchanged. */
export function isoForm(text: string): string {
  const [, zoned] = zonedDay.exec(text) ?? [];
  if (zoned) return zoned;
  const compact = compactDay.exec(text);
  if (compact) return compact.slice(1).join('-');
  const [, day = '', month = '', year = ''] = oracleDay.exec(text) ?? [];
  const number = months.indexOf(month.toLowerCase()) + 1;
  if (number > 0) return [fullYear(year), String(number).padStart(2, '0'), day.padStart(2, '0')].join('-');
  const time = new Date(Number(dotNetTime.exec(text)?.[1]));
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** Returns a year of 1969 to 2068, as POSIX does, so that the end of a contract is not read as a day long past. */
export function fullYear(year: string): string {
  if (year.length === 4) return year;
  return Number(year) < 69 ? `20${year}` : `19${year}`;
}

/**
 * False for an ISO date by which sources mean none: 9999-12-31 of SAP, 0001-01-01 of .NET, 1899-12-30 and 1900-01-01 of
 * Excel and SQL Server, and their neighbours.
 */
export function isRealDate(date: string): boolean {
  return date >= '1900-01-03' && date < '9999';
}

/** The fraction belongs to the last part present, which in GeneralizedTime may be the minute or the hour. */
function fractionMs(match: RegExpExecArray): number {
  const unit = match[6] !== undefined ? 1_000 : match[5] !== undefined ? 60_000 : 3_600_000;
  return Math.floor(Number(`0.${match[7] ?? 0}`) * unit);
}

function offsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
