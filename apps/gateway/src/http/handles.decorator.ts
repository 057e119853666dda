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
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, tenantOfCaller } from '../access/access.decorator.js';
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

interface Parts {
  route: RouteDefinition;
  ids: { parameter: string; name: string; kind: IdKind | undefined }[];
}

/** Returns the ids in a path, except the tenant. Throws for one whose kind is not known. */
function idsIn(path: string): Parts['ids'] {
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
const RouteInput = createParamDecorator(({ route, ids }: Parts, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const given = request.params as Record<string, string>;
  const input: Record<string, unknown> = {};
  if (route.query) input.query = validate(route.query, request.query, 'query parameter');
  for (const { parameter, name, kind } of ids)
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
 * Binds a handler to routes of the contracts: their method, path, status, access and audit. The first parameter is the
 * `Input` of each route, and a handler that returns anything but its `Output` does not compile.
 */
export function Handles<Routes extends RouteDefinition[]>(...routes: Routes) {
  return <Key extends string>(
    target: { [Name in Key]: Handler<Routes[number]> },
    key: Key,
    descriptor: PropertyDescriptor,
  ): void => {
    const [first, ...others] = routes;
    const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, key);
    if (first) bind(first, target, key, descriptor);
    // Nest has one access, status and list of interceptors for each method: another route is a method that calls this one.
    for (const route of others) {
      const name = `${key} ${route.path}`;
      const value = function (this: unknown, ...given: unknown[]): unknown {
        return descriptor.value.apply(this, given);
      };
      Reflect.defineMetadata(ROUTE_ARGS_METADATA, parameters, target.constructor, name);
      Object.defineProperty(target, name, { value });
      bind(route, target, name, { value });
    }
  };
}

function bind(route: RouteDefinition, target: object, key: string, descriptor: PropertyDescriptor): void {
  const { method, path, success, auth } = route;
  const hasProgress = route.mayTakeLonger || (route.fourEyes && success.status === 200);
  const interceptors = [
    ...(auth === 'operator' ? [AuditInterceptor] : []),
    ...(hasProgress ? [MayTakeLongerInterceptor] : []),
  ];
  RouteInput({ route, ids: idsIn(path) })(target, key, 0);
  const decorators = [
    RequestMapping({ method: RequestMethod[method], path: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    HttpCode(success.status),
    Access(auth),
    ...(success.schema && !success.type ? [Header('content-type', 'application/json; charset=utf-8')] : []),
    ...(interceptors.length > 0 ? [UseInterceptors(...interceptors)] : []),
  ];
  for (const decorate of decorators) decorate(target, key, descriptor);
}
