import type { z } from 'zod';
import type { Scope } from './errors.js';
import * as requests from './requests.js';

export interface RouteDefinition {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** OpenAPI form: `{id}`. */
  path: string;
  summary: string;
  description?: string;
  auth: 'none' | 'key' | 'operator';
  scope?: Scope;
  query?: readonly QueryParameter[];
  body?: z.ZodType;
  /** A request without a body is as good. */
  bodyOptional?: boolean;
  success: { status: number; schema?: z.ZodType };
  /** Statuses beside 401 (and 403 and 429 with a key) and 500. */
  errors: readonly number[];
}

export interface QueryParameter {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

export const tenantPath = '/admin/v1/tenants/{tenantId}';

export const limit: QueryParameter = {
  name: 'limit',
  description: `Page size; more than ${requests.largestPageSize} is taken for ${requests.largestPageSize}.`,
  schema: { type: 'integer', minimum: 1, default: requests.defaultPageSize },
};
export const page: QueryParameter[] = [
  limit,
  { name: 'offset', description: 'Items to pass over.', schema: { type: 'integer', minimum: 0, default: 0 } },
];
export const at: QueryParameter = {
  name: 'at',
  description: 'The identity as it was at this time; 404 if it was not there yet.',
  schema: { type: 'string', format: 'date-time' },
};
export function ok(schema: z.ZodType): RouteDefinition['success'] {
  return { status: 200, schema };
}

export function created(schema: z.ZodType): RouteDefinition['success'] {
  return { status: 201, schema };
}

/** A route that needs the operator's token. */
export function operator(
  method: RouteDefinition['method'],
  path: string,
  summary: string,
  success: RouteDefinition['success'],
  errors: readonly number[],
  body?: z.ZodType,
  query?: readonly QueryParameter[],
): RouteDefinition {
  return { method, path, summary, auth: 'operator', success, errors, body, query };
}
