import { type DateForm, fullYear, isoForm, isRealDate, parseDate } from '@idsync/contracts';

const epochOfWindows = 11_644_473_600_000;
const dayMs = 86_400_000;
const dateOnly = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

/** Returns the ISO 8601 text of a date, an empty list if the value means "no date", or undefined for another form. */
export function readDate(value: string, form: DateForm): string[] | undefined {
  if (standsForNoDate(value) || (form === 'excel' && emptyCell.test(value))) return [];
  const date = texts[form](value);
  if (date === undefined) return undefined;
  return isRealDate(date) ? [date] : [];
}

/** Excel writes an empty cell as day 0, and other programs count from the 30 or 31 December 1899. */
const emptyCell = /^[0-2](?:[.,]\d{1,15})?$/;
/** Numbers of times by which systems mean none; the last two are "never" in Active Directory. */
const noTimes = new Set(['0', '-1', '9223372032559808511', '9223372036854775807']);

const noDates = new Set([
  'na',
  'none',
  'null',
  'nil',
  'never',
  'nie',
  'ka',
  'unbefristet',
  'unlimited',
  'indefinite',
  'permanent',
  'infinity',
]);

/**
 * Returns true for a text by which sources mean "no date", such as `00.00.0000` of SAP, `9999-12-31`, `-1`, `infinity`
 * of PostgreSQL, `N/A` and `unbefristet`.
 */
export function standsForNoDate(value: string): boolean {
  const text = value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  if (text === '' || /^0{8,}$/.test(text) || noDates.has(text) || noTimes.has(value.replace(/^\/Date\(|\)\/$/g, '')))
    return true;
  const date = parseDate(value);
  // A zone may move the last day that ISO 8601 can express beyond it.
  return date === undefined ? /^9999-?12-?31/.test(value) : !isRealDate(date);
}

const texts: Record<DateForm, (value: string) => string | undefined> = {
  iso: (value) => (parseDate(value) === undefined ? undefined : isoForm(value)),
  ymd: (value) => {
    const [, year = '', month = '', day = ''] = /^(\d{4})(\d{2})(\d{2})$/.exec(value) ?? dateOnly.exec(value) ?? [];
    return year.length === 4 ? calendarDate(year, month, day) : undefined;
  },
  dmy: (value) => {
    const [, day = '', month = '', year = ''] = dateOnly.exec(value) ?? [];
    return calendarDate(year, month, day);
  },
  mdy: (value) => {
    const [, month = '', day = '', year = ''] = dateOnly.exec(value) ?? [];
    return calendarDate(year, month, day);
  },
  // Excel counts a day that did not exist, the 29 February 1900, as 60.
  excel: (value) => serialDate(value, Date.UTC(1899, 11, 30), 61),
  excel_1904: (value) => serialDate(value, Date.UTC(1904, 0, 1), 1),
  unix: (value) => timestamp(value, (number) => number * 1_000),
  unix_ms: (value) => timestamp(value, (number) => number),
  windows: (value) => timestamp(value, (number) => number / 10_000 - epochOfWindows),
};

/** Returns undefined for a day that does not exist. */
function calendarDate(year: string, month: string, day: string): string | undefined {
  if (day.length > 2 || (year.length !== 2 && year.length !== 4)) return undefined;
  const text = `${fullYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return parseDate(text) === undefined ? undefined : text;
}

/** The last day that Excel knows. */
const lastDay = Date.UTC(9999, 11, 31);

/** Reads the number of a day, without the time of day that its fraction may have. */
function serialDate(value: string, epoch: number, first: number): string | undefined {
  if (!/^\d{1,7}(?:[.,]\d{1,15})?$/.test(value)) return undefined;
  const day = Number.parseInt(value, 10);
  const time = epoch + day * dayMs;
  return day < first || time > lastDay ? undefined : new Date(time).toISOString().slice(0, 10);
}

function timestamp(value: string, msOf: (number: number) => number): string | undefined {
  if (!/^-?\d{1,19}$/.test(value)) return undefined;
  const date = new Date(msOf(Number(value)));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
