import { z } from 'zod';
import type { OperatorRole, Scope } from '../fixed-values.js';
import type { PortalAccess } from '../portal.js';

export interface RouteDefinition {
  /** Name of the operation in generated clients, in the audit log and of approvals. */
  action: string;
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
  /** Its properties are the parameters that OpenAPI lists. */
  query?: z.ZodType;
  body?: z.ZodType;
  /** The handler validates the body, with what it changes. */
  bodyUnchecked?: true;
  /** Media type of the body; by default JSON. */
  bodyType?: string;
  /** The body may be omitted. */
  bodyOptional?: true;
  success: {
    status: number;
    schema?: z.ZodType;
    /** Media type; by default JSON. */
    type?: string;
  };
  /** Shows data of people, so that the audit log records each read where the tenant wants it. */
  readsPeople?: true;
  /** The audit log records the act also of an API key. */
  recorded?: true;
  /** Has an ETag, and answers 304 to `If-None-Match` with it. */
  conditional?: true;
  /** A stream that continues after `Last-Event-ID`. */
  resumable?: true;
  /** Returns 202 with the same body if another service has not finished in time. */
  mayTakeLonger?: true;
  /** Responds with 202 and an approval if the tenant has four eyes, because the act needs a second operator. */
  fourEyes?: true;
  /** The body contains the id of a resource: 404 if it does not exist, as for an id in the path. */
  bodyRefers?: true;
}

type Success = RouteDefinition['success'];
type Options = Partial<Omit<RouteDefinition, 'action' | 'method' | 'path' | 'summary' | 'success'>>;
type WithAuth = Options & Pick<RouteDefinition, 'auth'>;
type SuccessOf<Given> = Given extends z.ZodType ? { status: 200; schema: Given } : Given;
type RoleOf<Common> = Common extends { auth: 'operator' } ? { role: OperatorRole } : object;

const withStatus =
  <const Status extends number>(status: Status) =>
  <Schema extends z.ZodType>(schema: Schema) => ({ status, schema });
const ok = withStatus(200);
export const created = withStatus(201);
export const accepted = withStatus(202);
export const noContent = { status: 204 } as const;

/** Returns functions that define routes below a path with common properties. A schema alone is the body of a 200. */
export function routesAt<Base extends string, const Common extends WithAuth>(base: Base, common: Common) {
  const define =
    (method: RouteDefinition['method']) =>
    <Path extends string, Given extends Success | z.ZodType, const More extends Options = object>(
      path: Path,
      summary: string,
      success: Given,
      more?: More,
    ) => ({
      method,
      path: `${base}${path}` as const,
      summary,
      success: (success instanceof z.ZodType ? ok(success) : success) as SuccessOf<Given>,
      ...((common.auth === 'operator' && { role: method === 'GET' ? 'viewer' : 'admin' }) as RoleOf<Common>),
      ...common,
      ...(more as More),
    });
  return {
    get: define('GET'),
    post: define('POST'),
    put: define('PUT'),
    patch: define('PATCH'),
    del: define('DELETE'),
  };
}

/** Names each route as its property: `listCases` is the action of the audit log, and of generated clients. */
export function actions<const Routes extends Record<string, Omit<RouteDefinition, 'action'>>>(routes: Routes) {
  const named = Object.entries(routes).map(([action, route]) => [action, { ...route, action }]);
  return Object.fromEntries(named) as { [Action in keyof Routes]: Routes[Action] & { action: Action & string } };
}

/** Routes of no single tenant. Operators of some tenants may use them, and see only what concerns these tenants. */
export const installation = routesAt('/admin/v1', { auth: 'operator' });
/** Routes of the whole installation, which only operators of all tenants may use. */
export const wholeInstallation = routesAt('/admin/v1', { auth: 'operator', forAllTenants: true });

/** Routes of operators of one tenant. Viewers read and admins write, unless the role is another one. */
const ofTenant = '/admin/v1/tenants/{tenantId}';
export const tenant = routesAt(ofTenant, { auth: 'operator' });
export const operators = routesAt(ofTenant, { auth: 'operator', role: 'operator' });
export const auditors = routesAt(ofTenant, { auth: 'operator', role: 'auditor' });

/** The directory performs what the route requests; the request waits for the result for a bounded time. */
export const queuedOrHeld = {
  mayTakeLonger: true,
  description:
    'Returns 202 with the same body and the status queued if the directory takes longer than ten seconds, or held if too many people would lose access.',
} as const;

/** Describes why a page of deliveries may be short. */
export const examined =
  'One request examines about 20 000 deliveries, so a page may have fewer than `limit` items, or none, although more follow. The list ends where `next_cursor` is absent.';

/** Returns the name of an operation in generated clients, such as `listIdentities` or `adminReleaseSyncJob`. */
export function operationIdOf({ path, action }: RouteDefinition): string {
  return path.startsWith('/admin/') ? `admin${action.charAt(0).toUpperCase()}${action.slice(1)}` : action;
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
