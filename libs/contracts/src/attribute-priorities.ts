import { z } from 'zod';

const field = z.string().regex(/^(\*|[a-z][a-z0-9_]{0,62})$/, 'must be the name of an attribute, or * for all of them');

/** Source precedence by field, overriding the connectors' own priorities. The lowest number wins. */
export const attributePriorities = z.strictObject({
  priorities: z
    .array(
      z.strictObject({
        field,
        connector_id: z.string().min(1).max(100),
        priority: z.int().min(0).max(1_000_000),
      }),
    )
    .max(1_000)
    .refine((list) => new Set(list.map((each) => `${each.field} ${each.connector_id}`)).size === list.length, {
      error: 'must not rank a connector twice for one field',
    }),
});
export type AttributePriorities = z.infer<typeof attributePriorities>;
