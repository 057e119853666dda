import type { z } from 'zod';
import type { OperatorRole } from '../audit.js';
import type { PortalAccess } from '../portal.js';
import type { Scope } from './errors.js';
import * as requests from './requests.js';

export interface RouteDefinition {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In OpenAPI form: `{id}`. */
  path: string;
  summary: string;
  description?: string;
  auth: 'none' | 'key' | 'operator';
  scope?: Scope;
  /** Role that an operator needs; of every route of operators. */
  role?: OperatorRole;
  /** Operators of some tenants may not use it. */
  forAllTenants?: true;
  /** Access of a portal link that reaches the route; absent: none does. */
  portal?: PortalAccess;
  /** An open route that accepts credentials, and therefore refuses as a route of operators does. */
  signsIn?: true;
  query?: readonly QueryParameter[];
  body?: z.ZodType;
  /** Media type of the body; by default JSON. */
  bodyType?: string;
  /** The body may be omitted. */
  bodyOptional?: boolean;
  success: {
    status: number;
    schema?: z.ZodType;
    /** Media type; by default JSON. */
    type?: string;
  };
  /** Has an ETag, and answers 304 to `If-None-Match` with it. */
  conditional?: true;
  /** A stream that continues after `Last-Event-ID`. */
  resumable?: true;
  /** Returns 202 with the same body if another service has not finished in time. */
  mayTakeLonger?: boolean;
  /** Responds with 202 and an approval if the tenant has four eyes and the act needs a second operator. */
  needsApproval?: boolean;
  /** The body contains the id of a resource: 404 if it does not exist, as for an id in the path. */
  bodyRefers?: boolean;
}

export interface QueryParameter {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  /** Each property of the value is a separate query parameter with one of these names. */
  properties?: { pattern: RegExp; shown: string };
}

export const tenantPath = '/admin/v1/tenants/{tenantId}';

export const limit: QueryParameter = {
  name: 'limit',
  description: `Page size; larger values are reduced to ${requests.maxPageSize}.`,
  schema: { type: 'integer', minimum: 1, default: requests.defaultPageSize },
};
export const page: QueryParameter[] = [
  limit,
  { name: 'offset', description: 'Number of items to skip.', schema: { type: 'integer', minimum: 0, default: 0 } },
];
export const at: QueryParameter = {
  name: 'at',
  description:
    'Returns the identity as it was at this time; 404 if it did not exist yet, 400 if the time is in the future. The answer stays the same until the person is erased or purged.',
  schema: { type: 'string', format: 'date-time' },
};
export function ok(schema: z.ZodType): RouteDefinition['success'] {
  return { status: 200, schema };
}

export function created(schema: z.ZodType): RouteDefinition['success'] {
  return { status: 201, schema };
}

/** Defines a route that requires the operator token. */
export function operator(
  method: RouteDefinition['method'],
  path: string,
  summary: string,
  success: RouteDefinition['success'],
  body?: z.ZodType,
  query?: readonly QueryParameter[],
): RouteDefinition {
  return { method, path, summary, auth: 'operator', success, body, query };
}

/** Marks a route whose act needs a second operator where the tenant has four eyes. */
export function withFourEyes(route: RouteDefinition): RouteDefinition {
  const fourEyes = 'Returns 202 with an approval if the tenant has four eyes and this needs a second operator.';
  return { ...route, needsApproval: true, description: [route.description, fourEyes].filter(Boolean).join(' ') };
}

/** Returns the names of the query parameters of a route, as they are shown. */
export function queryNames({ query = [] }: RouteDefinition): string[] {
  return query.map(({ name, properties }) => properties?.shown ?? name);
}

/** True if the route has a query parameter with this name. */
export function hasQueryName({ query = [] }: RouteDefinition, given: string): boolean {
  return query.some(({ name, properties }) => (properties ? properties.pattern.test(given) : name === given));
}

/** Returns the error statuses of a route, derived from its definition so that routes need not list them. */
export function errorStatusesOf({ method, path, auth, signsIn, bodyRefers }: RouteDefinition): number[] {
  // Node and Fastify reject invalid, late or too large requests before routing.
  const ofAnyRequest = [400, 408, 431, 500];
  // A body is read for every method that may have one, even if the route ignores it.
  const ofBodies = method === 'GET' ? [] : [413];
  // Without an identity provider, its routes do not exist.
  const isOptional = /\/session\/(oidc|device)/.test(path);
  const ofIds = path.includes('{') || bodyRefers || isOptional ? [404] : [];
  const ofCallers = { none: [], key: [401, 403, 429, 503], operator: [401, 403, 429, 503] }[
    signsIn ? 'operator' : auth
  ];
  return [...ofAnyRequest, ...ofBodies, ...ofIds, ...ofCallers].sort();
}
