import type { z } from 'zod';

/** What the environment lacks or has wrong; a line for each variable, never with its value. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Reads and validates a service's variables. An empty variable counts as one that is not set. Throws EnvironmentError. */
export function readEnv<Schema extends z.ZodObject>(
  schema: Schema,
  source: Record<string, string | undefined> = process.env,
): z.infer<Schema> {
  const names = Object.keys(schema.shape);
  const values = Object.fromEntries(names.map((name) => [name, source[name]?.trim() || undefined]));
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? 'environment');
    return `${name} ${values[name] === undefined ? 'is not set: it' : 'is not valid: it'} ${issue.message}`;
  });
  throw new EnvironmentError([...new Set(lines)].join('\n'));
}
