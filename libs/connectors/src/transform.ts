import { type DateForm, type FieldSource, mappedNames, type Transform } from '@idsync/contracts';
import { readDate } from './date-forms.js';

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
export function sourceNames(mapping: Parameters<typeof mappedNames>[0]): string[] {
  return [...new Set(mappedNames(mapping).map(({ name }) => name))];
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

/**
 * Converts a date to ISO 8601 by the first form that fits. Returns no value if the source value means "no date".
 */
function toDate(value: string, given: DateForm | readonly DateForm[]): string[] {
  const forms = typeof given === 'string' ? [given] : given;
  for (const form of forms) {
    const date = readDate(value, form);
    if (date) return date;
  }
  throw new NotTransformable(`is not a date of the form ${forms.join(' or ')}`, value);
}
