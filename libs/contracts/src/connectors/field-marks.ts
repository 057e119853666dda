import { z } from 'zod';

/**
 * The meaning of a connector field for its stored secrets. `target`: addresses the system that receives them, or
 * determines how they are sent. `secret`: is a secret. `neutral`: only determines which data is read and how it is
 * interpreted.
 */
export type FieldMark = 'target' | 'secret' | 'neutral';

const marks = z.registry<{ mark: FieldMark }>();

/** Marks a copy, because a shared schema may be a target in one connector only. */
const marker =
  (mark: FieldMark) =>
  <Schema extends z.ZodType>(schema: Schema): Schema => {
    const marked = schema.clone();
    marks.add(marked, { mark });
    return marked;
  };

/** Marks a field and everything in it. After a change the secrets must be provided again. */
export const target = marker('target');
/** Marks a field of `secrets`. */
export const secret = marker('secret');
/** Marks a field whose change does not affect the stored secrets. Fields of nested objects need marks as well. */
export const neutral = marker('neutral');

/** Creates a setting that says whether something is read. */
export const flag = (byDefault: boolean, described: string) =>
  neutral(z.boolean().default(byDefault).describe(described));

/**
 * Returns the mark of a field; undefined if it has none. The mark belongs to the outermost schema:
 * `target(text.optional())`.
 */
export function markOf(field: z.ZodType): FieldMark | undefined {
  return marks.get(field)?.mark;
}

/** Returns the first changed target. Unmarked fields count as targets. */
export function changedTarget(config: z.ZodObject, before: object, after: object): string | undefined {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...was.keys(), ...is.keys()])].find((name) => {
    const field = config.shape[name];
    const isNeutral = field !== undefined && markOf(field) === 'neutral';
    return !isNeutral && JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name));
  });
}
