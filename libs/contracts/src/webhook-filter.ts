import { z } from 'zod';

const maxConditions = 20;
const fieldForm = 'must be type, or a field of data such as data.status or data.attributes.field_name';
const field = z
  .string({ error: fieldForm })
  .max(128)
  .regex(/^(type|data(\.[A-Za-z0-9_]+){1,5})$/, fieldForm);
const text = z.string().max(512);
const conditionForm = 'must have field, and either equals or prefix';
const equality = z.strictObject({ field, equals: z.union([text, z.number(), z.boolean()]) });
const start = z.strictObject({ field, prefix: text.min(1) });
const condition = z.union([equality, start], { error: conditionForm });
const conditions = z.array(condition).min(1).max(maxConditions);
const form = `${conditionForm}; or be {"and": […]} or {"or": […]} of at most ${maxConditions} of these, in which each may be the other kind of list`;
/** Two levels of lists express every combination, and bound the work without recursion. */
const listOf = <Inner extends z.ZodType>(inner: Inner) =>
  z
    .array(z.union([equality, start, inner], { error: form }))
    .min(1)
    .max(maxConditions);

/** A condition on the body of an event, which a webhook requires besides the type. */
export const webhookFilter = z.union(
  [
    equality,
    start,
    z.strictObject({ and: listOf(z.strictObject({ or: conditions })) }),
    z.strictObject({ or: listOf(z.strictObject({ and: conditions })) }),
  ],
  { error: form },
);
export type WebhookFilter = z.infer<typeof webhookFilter>;

type AnyFilter = z.infer<typeof condition> | { and: readonly AnyFilter[] } | { or: readonly AnyFilter[] };

/**
 * True if an event matches a filter. A field of a list matches if one of its values does; a field that the event does
 * not have matches nothing.
 */
export function matchesFilter(filter: AnyFilter, event: unknown): boolean {
  if ('and' in filter) return filter.and.every((each) => matchesFilter(each, event));
  if ('or' in filter) return filter.or.some((each) => matchesFilter(each, event));
  const values = valuesAt(event, filter.field.split('.'));
  if ('equals' in filter) return values.includes(filter.equals);
  return values.some((value) => typeof value === 'string' && value.startsWith(filter.prefix));
}

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path));
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return valuesAt((value as Record<string, unknown>)[name], rest);
}
