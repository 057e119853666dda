import { type DateForm, parseDate } from '@idsync/contracts';

const epochOfWindows = 11_644_473_600_000;
/** Values by which Active Directory represents "never". */
const never = new Set(['0', '9223372036854775807']);
const dayMs = 86_400_000;
const dateOnly = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

/** Returns the ISO 8601 text of a date, an empty list if the value means "no date", or undefined for another form. */
export function readDate(value: string, form: DateForm): string[] | undefined {
  if (form === 'windows' && never.has(value)) return [];
  const date = texts[form](value);
  return date === undefined ? undefined : [date];
}

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
]);

/** Returns true for a text by which sources mean "no date", such as `00.00.0000` of SAP, `-`, `N/A` and `unbefristet`. */
export function standsForNoDate(value: string): boolean {
  const text = value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return text === '' || /^0{8}$/.test(text) || noDates.has(text);
}

const texts: Record<DateForm, (value: string) => string | undefined> = {
  iso: (value) => (parseDate(value) === undefined ? undefined : value),
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

/** Returns a year of 1969 to 2068, as POSIX does, so that the end of a contract is not read as a day long past. */
function fullYear(year: string): string {
  if (year.length === 4) return year;
  return Number(year) < 69 ? `20${year}` : `19${year}`;
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
