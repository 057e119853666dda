import { z } from 'zod';

/** Settings of single connectors in a policy, each with a `connector_id`. */
export function connectorList<Shape extends z.ZodRawShape>(shape: Shape) {
  const item = z.strictObject({ connector_id: z.string().min(1).max(100), ...shape });
  return z
    .array(item)
    .max(200)
    .refine(
      (list) => new Set(list.map((each) => (each as { connector_id: string }).connector_id)).size === list.length,
      { error: 'must not name a connector twice' },
    )
    .default([]);
}
