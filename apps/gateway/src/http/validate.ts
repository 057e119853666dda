import type { z } from 'zod';
import { badRequest } from './api-error.js';

/** Parses the input with the schema. Throws a 400 that names the first invalid field and what it must be. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  part: 'field' | 'query parameter' = 'field',
): z.output<Schema> {
  const value = input ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest('the body must be a JSON object');
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badRequest(issue ? describe(issue, value, part) : 'the request is not valid');
}

function describe(issue: z.core.$ZodIssue, input: object, part: string): string {
  if (issue.code === 'unrecognized_keys') return `unknown ${part} ${issue.keys.join(', ')}`;
  const field = issue.path.join('.');
  if (field === '') return issue.message;
  if (issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined) return `${field} is required`;
  // Texts of idsync's schemas continue after the field's name; zod's own texts are whole sentences.
  if (/^(must|is) /.test(issue.message)) return `${field} ${issue.message}`;
  return `${field}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}
