const isoDate =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(?:(\d{2})(\d{2})?)?(?:[.,](\d+))?(Z|[+-]\d{2}(?:\d{2})?)$/;

/**
 * Converts an ISO date, date-time or LDAP GeneralizedTime to ISO 8601 in UTC with milliseconds. Returns undefined for
 * other text.
 */
export function parseDate(text: string): string | undefined {
  const match = isoDate.exec(text) ?? generalizedTime.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  // `Date.UTC` would turn the 30th of February into a day in March.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(match[8] ?? 'Z');
  if (offset === undefined) return undefined;
  const time = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fractionMs(match);
  const iso = new Date(time).toISOString();
  return /^\d/.test(iso) ? iso : undefined;
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
