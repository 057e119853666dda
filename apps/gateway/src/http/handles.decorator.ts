import type { IdKind, RouteDefinition, responses } from '@idsync/contracts';
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
import { routeDefinitionOf } from '../access/route-definition.js';
import { AuditInterceptor } from '../audit/audit.interceptor.js';
import { uuidOf } from './ids.js';
import { MayTakeLongerInterceptor, type Progress } from './may-take-longer.interceptor.js';
import { validate } from './validate.js';

/** Kinds of the ids in paths, by the segment before each. */
const kinds = {
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
  tenants: 'tenant',
  tokens: 'apiKey',
  users: 'user',
  webhooks: 'webhook',
} as const satisfies Record<string, IdKind>;
/** The segment before an id that is a text: one of a source, or of several kinds. */
const texts = 'records';

type Kinds = typeof kinds;
type LastSegment<Path extends string> = Path extends `${string}/${infer Rest}` ? LastSegment<Rest> : Path;
type NameOf<Segment extends string, Name> = Segment extends keyof Kinds ? `${Kinds[Segment]}Id` : Name;
type NamesIn<Path extends string> = Path extends `${infer Before}/{${infer Name}}${infer Rest}`
  ? NameOf<LastSegment<Before>, Name> | NamesIn<Rest>
  : never;

/**
 * The input of a handler: the ids of its path as uuids, its validated query and body, and the tenant of
 * the caller's key. Ids are named by their kinds, so that routes with the same ids have the same input.
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

type Id = { parameter: string; name: string; kind: IdKind | undefined };

/** Returns the ids in a path, except the tenant. Throws for one whose kind is not known. */
function idsIn(path: string): Id[] {
  const segments = path.split('/');
  return segments.flatMap((segment, at) => {
    if (!segment.startsWith('{') || segment === '{tenantId}') return [];
    const before = segments[at - 1] ?? '';
    const kind = (kinds as Record<string, IdKind | undefined>)[before];
    if (!kind && before !== texts) throw new Error(`the kind of the id after /${before}/ in ${path} is not known`);
    const parameter = segment.slice(1, -1);
    return [{ parameter, name: kind ? `${kind}Id` : parameter, kind }];
  });
}

/** Of several faults, the one of the query is reported, then those of ids, of the body, and of the tenant. */
const RouteInput = createParamDecorator((idsByPath: ReadonlyMap<string, Id[]>, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const route = routeDefinitionOf(request);
  if (!route) throw new Error(`${request.method} ${request.url} is no route of the contracts`);
  const given = request.params as Record<string, string>;
  const input: Record<string, unknown> = {};
  if (route.query) input.query = validate(route.query, request.query, 'query parameter');
  for (const { parameter, name, kind } of idsByPath.get(route.path) ?? [])
    input[name] = kind ? uuidOf(kind, given[parameter] ?? '') : given[parameter];
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
 * `Input` of the route, and a handler that returns anything but its `Output` does not compile. A route of clients and its
 * twin of operators differ in path and access only, and have one handler.
 */
export function Handles<Routes extends [RouteDefinition, ...RouteDefinition[]]>(...routes: Routes) {
  const [{ method, success, mayTakeLonger, fourEyes }, ...twins] = routes;
  if (twins.some((twin) => twin.method !== method || twin.success.status !== success.status))
    throw new Error(`${routes.map(({ path }) => path).join(' and ')} differ in method or status`);
  const hasProgress = mayTakeLonger || (fourEyes && success.status === 200);
  const interceptors = [
    ...(routes.some(({ auth }) => auth === 'operator') ? [AuditInterceptor] : []),
    ...(hasProgress ? [MayTakeLongerInterceptor] : []),
  ];
  return <Key extends string>(
    target: { [Name in Key]: Handler<Routes[number]> },
    key: Key,
    descriptor: PropertyDescriptor,
  ): void => {
    RouteInput(new Map(routes.map(({ path }) => [path, idsIn(path)])))(target, key, 0);
    const paths = routes.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const decorators = [
      RequestMapping({ method: RequestMethod[method], path: paths }),
      HttpCode(success.status),
      Access('of-route'),
      ...(success.schema && !success.type ? [Header('content-type', 'application/json; charset=utf-8')] : []),
      ...(interceptors.length > 0 ? [UseInterceptors(...interceptors)] : []),
    ];
    for (const decorate of decorators) decorate(target, key, descriptor);
  };
}
