import { z } from 'zod';
import type { OperatorRole } from '../fixed-values.js';
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

/** A query parameter with any text. */
export const textParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'string' },
});
export const timeParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'string', format: 'date-time' },
});
/** A query parameter with one of these values; `preset` if it is absent. */
export const choice = (
  name: string,
  description: string,
  values: readonly string[],
  preset?: string,
): QueryParameter => ({
  name,
  description,
  schema: { type: 'string', enum: [...values], ...(preset !== undefined && { default: preset }) },
});

export const limit: QueryParameter = {
  name: 'limit',
  description: `Page size; larger values are reduced to ${requests.maxPageSize}.`,
  schema: { type: 'integer', minimum: 1, default: requests.defaultPageSize },
};
export const page: QueryParameter[] = [
  limit,
  { name: 'offset', description: 'Number of items to skip.', schema: { type: 'integer', minimum: 0, default: 0 } },
];
export const at = timeParameter(
  'at',
  'Returns the identity as it was at this time; 404 if it did not exist yet, 400 if the time is in the future. The answer stays the same until the person is erased or purged.',
);

type Success = RouteDefinition['success'];
type More = Partial<Omit<RouteDefinition, 'method' | 'path' | 'summary' | 'success' | 'needsApproval'>> & {
  /** The act needs a second operator where the tenant has four eyes. */
  fourEyes?: true;
};

export const ok = (schema: z.ZodType): Success => ({ status: 200, schema });
export const created = (schema: z.ZodType): Success => ({ status: 201, schema });
export const accepted = (schema: z.ZodType): Success => ({ status: 202, schema });
export const noContent: Success = { status: 204 };

/** Returns functions that define routes below a path with common properties. A schema alone is the body of a 200. */
export function routesAt(base: string, common: More & Pick<RouteDefinition, 'auth'>) {
  const define =
    (method: RouteDefinition['method']) =>
    (
      path: string,
      summary: string,
      success: Success | z.ZodType,
      { fourEyes, ...more }: More = {},
    ): RouteDefinition => ({
      method,
      path: base + path,
      summary,
      success: success instanceof z.ZodType ? ok(success) : success,
      ...common,
      ...more,
      ...(fourEyes && { needsApproval: true, description: [more.description, ofFourEyes].filter(Boolean).join(' ') }),
    });
  return {
    get: define('GET'),
    post: define('POST'),
    put: define('PUT'),
    patch: define('PATCH'),
    del: define('DELETE'),
  };
}

const ofFourEyes = 'Returns 202 with an approval if the tenant has four eyes and this needs a second operator.';

/** Routes of operators of the installation, and of one tenant. */
export const installation = routesAt('/admin/v1', { auth: 'operator' });
export const tenant = routesAt('/admin/v1/tenants/{tenantId}', { auth: 'operator' });

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
