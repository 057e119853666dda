import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** Missing or invalid environment variables, one line each, without their values. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Secret variables, which can also be read from a file named in `<NAME>_FILE`. */
export const secretVariables = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'AMQP_URL',
  'ADMIN_TOKEN',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEYS_PREVIOUS',
  'OIDC_CLIENT_SECRET',
] as const;

/**
 * Reads and validates a service's variables. An empty variable counts as unset. Secrets may come from files, because
 * other processes of the user and crash reports can see the environment. Throws EnvironmentError.
 */
export function readEnv<Schema extends z.ZodObject>(
  schema: Schema,
  source: Record<string, string | undefined> = process.env,
): z.infer<Schema> {
  const names = Object.keys(schema.shape);
  const values = Object.fromEntries(names.map((name) => [name, settingOf(name, source)]));
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? 'environment');
    return `${name} ${values[name] === undefined ? 'is not set: it' : 'is not valid: it'} ${issue.message}`;
  });
  throw new EnvironmentError([...new Set(lines)].join('\n'));
}

function settingOf(name: string, source: Record<string, string | undefined>): string | undefined {
  const value = source[name]?.trim() || undefined;
  const fileVariable = `${name}_FILE`;
  const file = source[fileVariable]?.trim();
  if (!file || !(secretVariables as readonly string[]).includes(name)) return value;
  if (value !== undefined) throw new EnvironmentError(`${name} and ${fileVariable} are both set: set only one of them`);
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    throw new EnvironmentError(`${fileVariable} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
