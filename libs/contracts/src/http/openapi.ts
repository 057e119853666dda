import { z } from 'zod';
import * as events from '../event-catalogue/event-bodies.js';
import { eventExample } from '../event-catalogue/event-examples.js';
import { eventMeanings } from '../event-catalogue/event-meanings.js';
import { type EventType, eventTypes } from '../events.js';
import * as resources from './resources.js';
import type { RouteDefinition } from './route.js';
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
  429: 'More requests with one key than the operator allows; `Retry-After` says when to come again',
  500: 'Unexpected failure',
};

/** The OpenAPI 3.1 document, made from the same schemas that validate requests. */
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
      { name: 'Operator interface', description: 'No part of `/v1`; needs the operator token.' },
      { name: 'Webhooks', description: 'What subscribers are sent. They pass over fields and kinds they do not know.' },
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
  const errors = [
    ...route.errors,
    ...(route.auth === 'none' ? [] : [401]),
    ...(route.auth === 'key' ? [403, 429] : []),
    500,
  ].sort();
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
    ],
    ...(route.body && { requestBody: { required: !route.bodyOptional, content: json(route.body, refs, 'input') } }),
    responses: {
      [route.success.status]: {
        description: route.success.schema ? 'Success' : 'Success, without a body',
        ...(route.success.schema && { content: json(route.success.schema, refs, 'output') }),
      },
      ...Object.fromEntries(
        errors.map((status) => [
          status,
          {
            description: errorMeanings[status],
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
  };
}

const webhookHeaders: Record<string, string> = {
  'webhook-id': 'The id of the event; the same each time it is sent.',
  'webhook-timestamp': 'When it is sent, in Unix seconds.',
  'webhook-signature': '`v1,` and the base64 of HMAC-SHA256 of `id.timestamp.body`; several during a rotation.',
};

/** What a receiver is sent; docs/webhooks.md tells the rest. */
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
      '2XX': { description: 'It arrived' },
      410: { description: 'Nobody is there any more: the subscription is switched off' },
      default: { description: 'It did not arrive, and is sent again by the schedule' },
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

/** An unnamed schema, with references to the named ones it contains. */
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

/** Answers may grow within `/v1`, so a client is not told that there is nothing else; the rest is what zod adds of its own. */
function relax(schema: Record<string, unknown>): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.format === 'date-time') delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Without the keywords that only a document of its own has. */
function stripped({ $schema: _schema, $id: _id, id: _name, ...rest }: Record<string, unknown>): object {
  return rest;
}

function operationId({ method, path }: RouteDefinition): string {
  const words = path.replace(/^\/(v1|admin\/v1)\//, '').split(/[/{}-]+/);
  const camel = words.filter(Boolean).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${method.toLowerCase()}${path.startsWith('/admin') ? 'Admin' : ''}${camel.join('')}`;
}
