import { z } from 'zod';
import { recordLimits } from '../record-limits.js';
import { text } from '../text.js';
import { neutral } from './field-marks.js';

export const sourceName = text.min(1).max(256);

const stepForm = 'must be trim, lower, upper, {split}, {date} or {map}';

/** Forms of dates. `iso` includes GeneralizedTime. */
const dateForms = ['iso', 'ymd', 'dmy', 'mdy', 'excel', 'excel_1904', 'unix', 'unix_ms', 'windows'] as const;
export type DateForm = (typeof dateForms)[number];

/** Forms that read the same value as different days. */
const ambiguous: readonly (readonly DateForm[])[] = [
  ['dmy', 'mdy'],
  ['excel', 'excel_1904'],
];

const dateForm = z.union([
  z.enum(dateForms),
  z
    .array(z.enum(dateForms))
    .min(1)
    .max(dateForms.length)
    .refine((forms) => !ambiguous.some((pair) => pair.every((form) => forms.includes(form)))),
]);

/** Transforms the values of a source. Each step receives the result of the step before. */
export const transform = z.union(
  [
    z.enum(['trim', 'lower', 'upper']),
    z.strictObject({ split: neutral(text.min(1).max(8)) }).describe('Splits values at these characters.'),
    z
      .strictObject({ date: neutral(dateForm) })
      .describe(
        'Parses a date by its form, or by the first form of a list that fits: ISO 8601 or GeneralizedTime (`iso`), year, month and day (`ymd`), day.month.year (`dmy`), month.day.year (`mdy`), the serial number of Excel (`excel`, `excel_1904`), seconds (`unix`) or milliseconds (`unix_ms`) since 1970, 100 ns since 1601 (`windows`). A list must not contain both `dmy` and `mdy`, or both forms of Excel.',
      ),
    z
      .strictObject({
        map: neutral(z.record(text.max(256), text.max(256))),
        otherwise: neutral(text.max(256).optional()),
      })
      .describe('Replaces values, ignoring case. A value that is not listed stays unchanged or becomes `otherwise`.'),
  ],
  { error: stepForm },
);
export type Transform = z.infer<typeof transform>;

/** Returns the error for an invalid source. If it has `transform`, its steps are invalid. */
function sourceForm(input: unknown): string {
  const steps = typeof input === 'object' && input !== null && 'transform' in input ? input.transform : undefined;
  if (steps === undefined) return 'must be a name of the source, {from, transform} or {value}';
  const wrong = Array.isArray(steps) ? steps.findIndex((step) => !transform.safeParse(step).success) : -1;
  return wrong < 0
    ? 'must have `from` and a list of one to ten steps in `transform`'
    : `must be of known steps; step ${wrong + 1} ${stepForm}`;
}

/** The source of a field: a name or path of the source, with transform steps, or a constant. */
export const fieldSource = z.union(
  [
    sourceName,
    z.strictObject({ from: neutral(sourceName), transform: neutral(z.array(transform).min(1).max(10)) }),
    z.strictObject({ value: neutral(text.min(1).max(1024)) }),
  ],
  { error: ({ input }) => sourceForm(input) },
);
export type FieldSource = z.infer<typeof fieldSource>;

export const fieldMap = z
  .record(text, fieldSource)
  .refine((map) => Object.keys(map).length > 0, { message: 'must map at least one field' })
  .refine((map) => Object.keys(map).length <= recordLimits.fields, {
    error: ({ input }) =>
      `must map at most ${recordLimits.fields} fields, not ${Object.keys(input as Record<string, unknown>).length}`,
  });
export type FieldMap = z.infer<typeof fieldMap>;

/** The values of a source field, replaced by a table. */
export const mapped = (from: string, map: Record<string, string>, otherwise?: string): FieldSource => ({
  from,
  transform: [{ map, ...(otherwise !== undefined && { otherwise }) }],
});

/** The mapping of every source: the permanent id of a record and the sources of the fields. */
export const mapping = { external_id: neutral(sourceName), fields: neutral(fieldMap) };

/** The mapping of a source that has a default mapping. */
export const ownMapping = (externalId: string, described: string) => ({
  external_id: neutral(sourceName.default(externalId)),
  fields: neutral(fieldMap.optional().describe(described)),
});
