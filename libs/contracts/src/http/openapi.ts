import { z } from 'zod';
import * as events from '../event-catalogue/event-bodies.js';
import { eventExample } from '../event-catalogue/event-examples.js';
import { eventMeanings } from '../event-catalogue/event-meanings.js';
import { type EventType, eventTypes } from '../events.js';
import * as resources from './resources.js';
import { errorStatusesOf, type RouteDefinition } from './route.js';
import { routes } from './routes.js';

const named: Record<string, z.ZodType> = {
  Attribute: resources.attribute,
  User: resources.user,
  Account: resources.account,
  MachineIdentity: resources.machineIdentity,
  Identity: resources.identity,
  LifecycleEvent: resources.lifecycleEvent,
  Event: resources.event,
  SyncJob: resources.syncJobReference,
  SyncStatus: resources.syncStatus,
  Webhook: resources.webhook,
  CreatedWebhook: resources.createdWebhook,
  Error: resources.errorBody,
  IdentityFact: events.identityFact,
  UserFact: events.userFact,
  AccountFact: events.accountFact,
  MachineIdentityFact: events.machineIdentityFact,
  SyncJobFact: events.syncJobFact,
  SyncJobEndFact: events.syncJobEndFact,
};

const errorMeanings: Record<number, string> = {
  400: 'A required field is missing, or a value is invalid or malformed',
  401: 'The key or token is absent or not recognised',
  403: 'The key was issued without the scope this needs',
  404: "Does not exist in the caller's tenant",
  408: 'The request did not arrive in time',
  413: 'The body is too large',
  429: 'More requests with one key than the operator allows, or with unknown keys from one address; `Retry-After` says when to retry',
  431: 'The request line and the headers are too large',
  500: 'Unexpected failure',
  503: 'The database is unavailable, busy with requests of this tenant, or took longer than 30 s; `Retry-After` says when to retry. A write may have succeeded nevertheless',
};

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next request', schema: { type: 'integer', minimum: 1 } },
};

const prefer = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'With `handling=strict` (RFC 7240), an unknown query parameter is 400. Otherwise it is ignored, except `at` of a GET request: an operation without this parameter answers 400.',
  schema: { type: 'string' },
};
const preferenceApplied = {
  'Preference-Applied': {
    description: '`handling=strict` if the request preferred it',
    schema: { type: 'string', const: 'handling=strict' },
  },
};

/** Builds the OpenAPI 3.1 document from the schemas that validate requests. */
export function openApiDocument(version: string): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'output',
    override: ({ jsonSchema }) => relax(jsonSchema),
  });
  const refs = new Map(Object.entries(named).map(([id, schema]) => [schema, `#/components/schemas/${id}`]));

  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, refs) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'idsync',
      version,
      summary: 'One directory of identities from every source a company has.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Public API' },
      { name: 'Operator interface', description: 'Not part of `/v1`; requires the operator token.' },
      { name: 'Webhooks', description: 'Requests to subscribers, which must ignore unknown fields and event types.' },
    ],
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOperation(type, refs) }])),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, stripped(schema)])),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        operator: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function operation(route: RouteDefinition, refs: ReadonlyMap<z.ZodType, string>): Record<string, unknown> {
  const isPublic = route.path.startsWith('/v1/');
  return {
    summary: route.summary,
    operationId: operationId(route),
    ...(route.description && { description: route.description }),
    tags: [route.auth === 'operator' ? 'Operator interface' : 'Public API'],
    security: route.auth === 'none' ? [] : [{ [route.auth === 'key' ? 'apiKey' : 'operator']: [] }],
    parameters: [
      ...[...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
        name: match[1],
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...(route.query ?? []).map((parameter) => ({ ...parameter, in: 'query', required: false })),
      ...(isPublic ? [prefer] : []),
    ],
    ...(route.body && { requestBody: { required: !route.bodyOptional, content: json(route.body, refs, 'input') } }),
    responses: {
      [route.success.status]: {
        description: route.success.schema ? 'Success' : 'Success, without a body',
        ...(isPublic && { headers: preferenceApplied }),
        ...(route.success.schema && { content: json(route.success.schema, refs, 'output') }),
      },
      ...(route.mayTakeLonger &&
        route.success.schema && {
          202: { description: 'Accepted, and not finished yet', content: json(route.success.schema, refs, 'output') },
        }),
      ...Object.fromEntries(
        errorStatusesOf(route).map((status) => [
          status,
          {
            description: errorMeanings[status],
            ...([429, 503].includes(status) && { headers: retryAfter }),
            ...(isPublic && status === 400 && { headers: preferenceApplied }),
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
  };
}

const webhookHeaders: Record<string, string> = {
  'webhook-id': 'The id of the event; the same for every attempt.',
  'webhook-timestamp': 'Time of the attempt, in Unix seconds.',
  'webhook-signature': '`v1,` and the base64 of HMAC-SHA256 of `id.timestamp.body`; several during a rotation.',
};

/** Describes a request to a receiver; docs/webhooks.md has the details. */
function webhookOperation(type: EventType, refs: ReadonlyMap<z.ZodType, string>): Record<string, unknown> {
  const [content] = Object.values(json(events.eventBody(type), refs, 'output')) as [object];
  return {
    summary: type,
    description: eventMeanings[type],
    operationId: `event${type.replace(/(^|[._])(.)/g, (_, __, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.entries(webhookHeaders).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { ...content, example: eventExample(type) } } },
    responses: {
      '2XX': { description: 'The event was received' },
      410: { description: 'The endpoint is gone: the subscription is disabled' },
      default: { description: 'The delivery failed, and is retried by the schedule' },
    },
  };
}

function json(
  schema: z.ZodType,
  refs: ReadonlyMap<z.ZodType, string>,
  io: 'input' | 'output',
): Record<string, unknown> {
  const ref = refs.get(schema);
  return { 'application/json': { schema: ref ? { $ref: ref } : inline(schema, refs, io) } };
}

/** Returns a schema without a name, with references to the named schemas that it contains. */
function inline(schema: z.ZodType, refs: ReadonlyMap<z.ZodType, string>, io: 'input' | 'output'): object {
  return stripped(
    z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const ref = refs.get(zodSchema as unknown as z.ZodType);
        if (!ref) return io === 'output' ? relax(jsonSchema) : undefined;
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        jsonSchema.$ref = ref;
      },
    }),
  );
}

/** Allows additional properties, because responses may grow within `/v1`, and removes defaults that zod adds. */
function relax(schema: Record<string, unknown>): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.format === 'date-time') delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Removes keywords that are only valid in a separate document. */
function stripped({ $schema: _schema, $id: _id, id: _name, ...rest }: Record<string, unknown>): object {
  return rest;
}

function operationId({ method, path }: RouteDefinition): string {
  const words = path.replace(/^\/(v1|admin\/v1)\//, '').split(/[/{}-]+/);
  const camel = words.filter(Boolean).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${method.toLowerCase()}${path.startsWith('/admin') ? 'Admin' : ''}${camel.join('')}`;
}
