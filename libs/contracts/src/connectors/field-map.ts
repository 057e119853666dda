import { z } from 'zod';
import { text } from '../text.js';

export const sourceName = text.min(1).max(256);

const stepForm = 'must be trim, lower, upper, {split}, {date} or {map}';

/** Makes other values of those of a source; each step takes what the one before has made. */
const transform = z.union(
  [
    z.enum(['trim', 'lower', 'upper']),
    z.strictObject({ split: text.min(1).max(8) }).describe('Values between these characters.'),
    z
      .strictObject({ date: z.enum(['unix', 'unix_ms', 'windows', 'dmy', 'mdy']) })
      .describe(
        'A date: seconds or milliseconds since 1970, 100 ns since 1601, or day.month.year in one order or the other.',
      ),
    z
      .strictObject({ map: z.record(text.max(256), text.max(256)), otherwise: text.max(256).optional() })
      .describe('Another value for each; what is not named stays, or becomes `otherwise`. Case does not count.'),
  ],
  { error: stepForm },
);
export type Transform = z.infer<typeof transform>;

/** Which of the three is meant is seen by what is there: then it is the steps that are wrong. */
function sourceForm(input: unknown): string {
  const steps = typeof input === 'object' && input !== null && 'transform' in input ? input.transform : undefined;
  if (steps === undefined) return 'must be a name of the source, {from, transform} or {value}';
  const wrong = Array.isArray(steps) ? steps.findIndex((step) => !transform.safeParse(step).success) : -1;
  return wrong < 0
    ? 'must have `from` and a list of one to ten steps in `transform`'
    : `must be of known steps; step ${wrong + 1} ${stepForm}`;
}

/** Where a field's values come from: a name or path of the source, with steps, or a constant. */
const fieldSource = z.union(
  [
    sourceName,
    z.strictObject({ from: sourceName, transform: z.array(transform).min(1).max(10) }),
    z.strictObject({ value: text.min(1).max(1024) }),
  ],
  { error: ({ input }) => sourceForm(input) },
);
export type FieldSource = z.infer<typeof fieldSource>;

export const fieldMap = z
  .record(text, fieldSource)
  .refine((map) => Object.keys(map).length > 0, { message: 'must map at least one field' });
export type FieldMap = z.infer<typeof fieldMap>;

/** What every source says of its records: what identifies one for ever, and where our fields come from. */
export const mapping = { external_id: sourceName, fields: fieldMap };
