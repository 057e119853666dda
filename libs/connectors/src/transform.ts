import type { FieldSource, Transform } from '@idsync/contracts';

/** A value that a transform cannot be applied to. */
export class NotTransformable extends Error {
  constructor(
    message: string,
    readonly value: string,
  ) {
    super(message);
  }
}

/** Returns the values of one field: the source values after all transform steps, or a constant. */
export function valuesFrom(source: FieldSource, valuesOf: (name: string) => readonly string[]): readonly string[] {
  if (typeof source === 'string') return valuesOf(source);
  if ('value' in source) return [source.value];
  return source.transform.reduce(apply, valuesOf(source.from));
}

/** Returns the source fields that a mapping reads. */
export function sourceNames(mapping: { external_id: string; fields: Readonly<Record<string, FieldSource>> }): string[] {
  const names = Object.values(mapping.fields).flatMap((source) => {
    if (typeof source === 'string') return source;
    return 'from' in source ? source.from : [];
  });
  return [...new Set([mapping.external_id, ...names])];
}

function apply(values: readonly string[], step: Transform): string[] {
  if (step === 'trim') return values.map((value) => value.trim());
  if (step === 'lower') return values.map((value) => value.toLowerCase());
  if (step === 'upper') return values.map((value) => value.toUpperCase());
  if ('split' in step) return values.flatMap((value) => value.split(step.split));
  if ('date' in step) return values.flatMap((value) => toDate(value.trim(), step.date));
  const named = new Map(Object.entries(step.map).map(([from, to]) => [from.toLowerCase(), to]));
  return values.map((value) => named.get(value.trim().toLowerCase()) ?? step.otherwise ?? value);
}

type DateForm = Extract<Transform, { date: unknown }>['date'];

const epochOfWindows = 11_644_473_600_000;
/** Values by which Active Directory represents "never". */
const never = new Set(['0', '9223372036854775807']);

/** Converts a date to ISO 8601 in UTC. Returns no value if the source value means "no date". */
function toDate(value: string, form: DateForm): string[] {
  if (value === '') return [];
  if (form === 'dmy' || form === 'mdy') return [fromCalendar(value, form)];
  if (form === 'windows' && never.has(value)) return [];
  if (!/^-?\d{1,19}$/.test(value)) throw new NotTransformable(`is not a valid ${form} timestamp`, value);
  const number = Number(value);
  const ms = form === 'unix' ? number * 1_000 : form === 'unix_ms' ? number : number / 10_000 - epochOfWindows;
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new NotTransformable('is not a valid time', value);
  return [date.toISOString()];
}

function fromCalendar(value: string, form: 'dmy' | 'mdy'): string {
  const [, first = '', second = '', year = ''] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(value) ?? [];
  if (year === '') throw new NotTransformable(`is not a date of the form ${form}`, value);
  const [day, month] = form === 'dmy' ? [first, second] : [second, first];
  // `parseDate` rejects days that do not exist.
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
