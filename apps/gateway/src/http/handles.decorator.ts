import { type IdKind, type RouteDefinition, type responses } from '@idsync/contracts';
import {
  createParamDecorator,
  type ExecutionContext,
  Header,
  HttpCode,
  RequestMapping,
  RequestMethod,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, tenantOfCaller } from '../access/access.decorator.js';
import { AuditInterceptor } from '../audit/audit.interceptor.js';
import { uuidOf } from './ids.js';
import { MayTakeLongerInterceptor, type Progress } from './may-take-longer.interceptor.js';
import { validate } from './validate.js';

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/**
 * The input of a handler: the ids of its path as uuids, its validated query and body, and the tenant of
 * the caller's key.
 */
export type Input<Route extends RouteDefinition> = Record<NamesIn<Route['path']>, string> &
  (Route extends { auth: 'key' } ? { tenantId: string } : unknown) &
  (Route extends { query: infer Query extends z.ZodType } ? { query: z.output<Query> } : unknown) &
  (Route extends { body: infer Body extends z.ZodType } ? { body: z.output<Body> } : unknown);

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the type Promise<void>
type Nothing = void;
/** Other media types are written by the handler itself. */
type Shown<Route extends RouteDefinition> = Route['success'] extends { type: string }
  ? Nothing
  : Route['success'] extends { schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : Nothing;
type Awaiting<Route> = Route extends { fourEyes: true } ? responses.Approval : never;
/** Text is JSON that PostgreSQL has rendered; a conditional route that has not changed has nothing to show. */
type Rendered<Route extends RouteDefinition> =
  | (Shown<Route> extends object ? string | Buffer : never)
  | (Route extends { conditional: true } ? undefined : never);

/** The result of a handler. */
type Output<Route extends RouteDefinition> = [HasProgress<Route>] extends [true]
  ? Progress<Shown<Route> | Awaiting<Route>>
  : Shown<Route> | Awaiting<Route> | Rendered<Route>;
type HasProgress<Route extends RouteDefinition> = Route extends { mayTakeLonger: true }
  ? true
  : Route extends { fourEyes: true; success: { status: 200 } }
    ? true
    : false;

/** Kinds of the ids in paths, by the segment before each; others are texts of sources. */
const kinds: Readonly<Record<string, IdKind>> = {
  accounts: 'account',
  'api-keys': 'apiKey',
  approvals: 'approval',
  cases: 'case',
  connectors: 'connector',
  'dead-letters': 'deadLetter',
  'deleted-connectors': 'connector',
  deliveries: 'delivery',
  events: 'event',
  findings: 'finding',
  groups: 'group',
  identities: 'identity',
  jobs: 'job',
  'machine-identities': 'machineIdentity',
  operations: 'operation',
  probes: 'probe',
  replays: 'replay',
  'service-tokens': 'serviceToken',
  sessions: 'session',
  suppressions: 'suppression',
  'sync-jobs': 'job',
  tokens: 'apiKey',
  users: 'user',
  webhooks: 'webhook',
};

interface Parts {
  route: RouteDefinition;
  /** Names in the path, except the tenant, with the kinds of their ids. */
  ids: [name: string, kind: IdKind | undefined][];
}

/** Of several faults, the one of the query is reported, then those of ids, of the body, and of the tenant. */
const RouteInput = createParamDecorator(({ route, ids }: Parts, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const given = request.params as Record<string, string>;
  const input: Record<string, unknown> = {};
  if (route.query) input.query = validate(route.query, request.query, 'query parameter');
  for (const [name, kind] of ids) input[name] = kind ? uuidOf(kind, given[name] ?? '') : given[name];
  if (route.body && !route.bodyUnchecked) input.body = validate(route.body, request.body, 'field');
  if (route.auth === 'key') input.tenantId = tenantOfCaller(request);
  else if (given.tenantId !== undefined) input.tenantId = uuidOf('tenant', given.tenantId);
  return input;
});

type Handler<Route extends RouteDefinition> = (
  input: Input<Route>,
  ...more: never[]
) => Output<Route> | Promise<Output<Route>>;

/**
 * Binds a handler to a route of the contracts: its method, path, status, access and audit. The first parameter is the
 * `Input` of the route, and a handler that returns anything but its `Output` does not compile.
 */
export function Handles<Route extends RouteDefinition>(route: Route) {
  const { method, path, success, auth } = route;
  const segments = path.split('/');
  const ids = segments.flatMap((segment, at): Parts['ids'] => {
    const name = segment.startsWith('{') ? segment.slice(1, -1) : 'tenantId';
    return name === 'tenantId' ? [] : [[name, kinds[segments[at - 1] ?? '']]];
  });
  const hasProgress = route.mayTakeLonger || (route.fourEyes && success.status === 200);
  const interceptors = [
    ...(auth === 'operator' ? [AuditInterceptor] : []),
    ...(hasProgress ? [MayTakeLongerInterceptor] : []),
  ];
  const decorators = [
    RequestMapping({ method: RequestMethod[method], path: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    HttpCode(success.status),
    Access(auth),
    ...(success.schema && !success.type ? [Header('content-type', 'application/json; charset=utf-8')] : []),
    ...(interceptors.length > 0 ? [UseInterceptors(...interceptors)] : []),
  ];
  return <Key extends string>(
    target: { [Name in Key]: Handler<Route> },
    key: Key,
    descriptor: PropertyDescriptor,
  ): void => {
    RouteInput({ route, ids })(target, key, 0);
    for (const decorate of decorators) decorate(target, key, descriptor);
  };
}
