import { z } from 'zod';
import { safeguard } from '../connector-config.js';
import { fieldSource, transform } from '../connectors/field-map.js';
import { eventBody, eventCatalogue, eventExample } from '../event-catalogue/event-catalogue.js';
import * as facts from '../event-catalogue/event-facts.js';
import { type EventType, eventTypes } from '../fixed-values.js';
import { schedule } from '../schedule.js';
import { webhookFilter } from '../webhook-filter.js';
import * as approvalResources from './approval-resources.js';
import { clientSetup, codeSamplesOf } from './code-samples.js';
import * as deliveryResources from './delivery-resources.js';
import * as eventResources from './event-resources.js';
import { exampleOf } from './example-of.js';
import * as operatorResources from './operator-resources.js';
import * as portalResources from './portal-resources.js';
import { queryParameters } from './query-parameters.js';
import * as quotaResources from './quota-resources.js';
import * as resources from './resources.js';
import { responseExamples } from './response-examples.js';
import { errorStatusesOf, operationIdOf, type RouteDefinition } from './route.js';
import { routes } from './routes.js';
import { receivedEvents, topicGroups, topicOf, topics } from './topics.js';

/** Component schemas by name: facts of events, events, and every response that the gateway sends. */
const named: Record<string, z.ZodType> = {
  ...componentsOf(Object.fromEntries(Object.entries(facts).filter(([name]) => /Fact$|^changedField$/.test(name)))),
  ...Object.fromEntries(eventTypes.map((type) => [eventName(type), eventBody(type)])),
  ...componentsOf({
    ...resources,
    ...operatorResources,
    ...deliveryResources,
    ...eventResources,
    ...approvalResources,
    ...portalResources,
    ...quotaResources,
  }),
};

function componentsOf(module: Record<string, unknown>): Record<string, z.ZodObject> {
  const schemas = Object.entries(module).filter(
    (entry): entry is [string, z.ZodObject] => entry[1] instanceof z.ZodObject,
  );
  return Object.fromEntries(
    schemas.map(([name, schema]) => [schema === resources.errorBody ? 'Error' : capitalised(name), schema]),
  );
}

/** Component schemas of parts that request bodies share. */
const namedParts: Record<string, z.ZodType> = {
  Safeguard: safeguard,
  Schedule: schedule,
  FieldSource: fieldSource,
  Transform: transform,
  RequestedFilter: webhookFilter,
};

/** The name of each error in `components.responses`, and its meaning. */
const errors: Record<number, [name: string, description: string]> = {
  400: ['BadRequest', 'A required field is missing, or a value is invalid or malformed'],
  401: ['Unauthorized', 'The key, token or session is absent or not recognised'],
  403: [
    'Forbidden',
    'The key was issued without the scope this needs, or the role of the caller does not include it; with the cookie of a session also: the CSRF token is missing, or a page of another origin sent the request',
  ],
  404: ['NotFound', "Does not exist in the caller's tenant"],
  408: ['RequestTimeout', 'The request did not arrive in time'],
  413: ['BodyTooLarge', 'The body is too large'],
  429: [
    'TooManyRequests',
    'More requests with one key than the operator allows, or with unknown keys from one address; `Retry-After` says when to retry',
  ],
  431: ['HeadersTooLarge', 'The request line and the headers are too large'],
  500: ['InternalError', 'Unexpected failure'],
  503: [
    'Unavailable',
    'The database is unavailable, busy with requests of this tenant, or took longer than 30 s; `Retry-After` says when to retry. A write may have succeeded nevertheless',
  ],
};

/** Only routes for clients read `Prefer`, so that their 400 has another header. */
function errorName(status: number, isPublic: boolean): string {
  const [name = ''] = errors[status] ?? [];
  return status === 400 && !isPublic ? `Operator${name}` : name;
}

function errorResponses(): Record<string, object> {
  return Object.fromEntries(
    [true, false].flatMap((isPublic) =>
      Object.entries(errors).map(([status, [, description]]) => [
        errorName(Number(status), isPublic),
        {
          description,
          ...(['429', '503'].includes(status) && { headers: retryAfter }),
          ...(isPublic && status === '400' && { headers: preferenceApplied }),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
    ),
  );
}

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

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier response: the answer is 304 if nothing has changed since.',
  schema: { type: 'string' },
};
const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last message, which an EventSource sends when it connects again.',
  schema: { type: 'integer', minimum: 0 },
};
const etag = {
  ETag: {
    description:
      'The version of the response, for `If-None-Match`. Lists with filters other than `status` and `updated_since` have none.',
    schema: { type: 'string' },
  },
};

const introduction = `idsync reads the sources of a company, matches their records into identities, and reports every change. Clients of a tenant use \`/v1\` with an API key; operators use \`/admin/v1\` with an operator token or a session.

All requests and responses are JSON in UTF-8 over HTTPS. Times are in ISO 8601 in UTC. Ignore response fields and event types that you do not know: both may be added within \`/v1\`.

## Authentication

Send the API key of your tenant as \`X-API-Key\`. An operator issues keys, with scopes that limit what a key may do. Operators send the operator token as \`Authorization: Bearer\`. The role of a token includes narrower ones: an admin may do everything, operators and auditors may do what viewers may.

## Lists

Lists have at most 200 items per page. Read them with \`cursor\`: send it empty for the first page, then the \`next_cursor\` of each response. With \`offset\`, a page may miss items while others change.

To follow changes, poll the event feed (\`GET /v1/events\`) or receive webhooks. Both have the same events in the same order.

An unknown query parameter is ignored. With the header \`Prefer: handling=strict\`, it is an error, so that a misspelt filter does not return everything.

## Errors

An error has a status of 400 or above and the body \`{"error": "…"}\`. Quote the \`X-Request-Id\` of the response when you report a problem. After 429 and 503, wait for the seconds in \`Retry-After\`.

## TypeScript

The samples use the client:

\`\`\`typescript
${clientSetup}
\`\`\``;

/** Builds the OpenAPI 3.1 document from the schemas that validate requests. */
export function openApiDocument(version: string): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => relax(jsonSchema),
  });
  const refs = refsTo({ ...named, ...namedParts });

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
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: topics,
    'x-tagGroups': topicGroups,
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOperation(type, refs) }])),
    components: {
      schemas: {
        ...Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, stripped(schema)])),
        ...Object.fromEntries(
          Object.entries(namedParts).map(([id, schema]) => {
            const { [id]: _, ...others } = namedParts;
            return [id, inline(schema, refsTo(others), 'input')];
          }),
        ),
        Event: anyEvent(),
      },
      responses: errorResponses(),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        operator: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-idsync_session',
          description: 'The cookie of a sign-in, named `idsync_session` without HTTPS.',
        },
        csrfToken: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: '`csrf_token` of the session.' },
      },
    },
  };
}

function refsTo(schemas: Record<string, z.ZodType>): Map<z.ZodType, string> {
  return new Map(Object.entries(schemas).map(([id, schema]) => [schema, `#/components/schemas/${id}`]));
}

function operation(route: RouteDefinition, refs: ReadonlyMap<z.ZodType, string>): Record<string, unknown> {
  const isPublic = route.path.startsWith('/v1/');
  return {
    summary: route.summary,
    operationId: operationIdOf(route),
    description: descriptionOf(route),
    ...codeSamplesOf(operationIdOf(route)),
    tags: [topicOf(route)],
    security: securityOf(route),
    parameters: [
      ...[...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
        name: match[1],
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...(route.query ? queryParameters(route.query) : []).map((parameter) => ({
        ...parameter,
        in: 'query',
        required: false,
      })),
      ...(isPublic ? [prefer] : []),
      ...(route.conditional ? [ifNoneMatch] : []),
      ...(route.resumable ? [lastEventId] : []),
    ],
    ...(route.body && {
      requestBody: { required: !route.bodyOptional, content: bodyContent(route.body, refs, route.bodyType) },
    }),
    responses: {
      [route.success.status]: {
        description: route.success.schema ? 'Success' : 'Success, without a body',
        ...(isPublic && { headers: { ...preferenceApplied, ...(route.conditional && etag) } }),
        ...(route.success.schema && {
          content: withExample(json(successSchema(route), refs, 'output', route.success.type), route),
        }),
      },
      ...acceptedResponse(route, refs),
      ...(route.conditional && {
        304: { description: 'Not modified since the version in `If-None-Match`', headers: etag },
      }),
      ...Object.fromEntries(
        errorStatusesOf(route).map((status) => [
          status,
          { $ref: `#/components/responses/${errorName(status, isPublic)}` },
        ]),
      ),
    },
  };
}

function descriptionOf(route: RouteDefinition): string {
  const { description, portal, fourEyes } = route;
  const ofLinks = portal && `A portal link with the access \`${portal}\` or a wider one reaches this operation.`;
  const ofFourEyes =
    fourEyes && 'Returns 202 with an approval if the tenant has four eyes and this needs a second operator.';
  return [[description, ofFourEyes, ofLinks].filter(Boolean).join(' '), accessTo(route)].filter(Boolean).join('\n\n');
}

function accessTo({ auth, scope, role, forAllTenants }: RouteDefinition): string {
  if (auth === 'none') return 'Needs no authentication.';
  if (auth === 'key') return `Needs an API key with the scope \`${scope}\`.`;
  return `Needs the role \`${role}\`${forAllTenants ? ', for all tenants' : ''}.`;
}

function securityOf({ auth, method }: RouteDefinition): Record<string, never[]>[] {
  if (auth === 'none') return [];
  if (auth === 'key') return [{ apiKey: [] }];
  return [{ operator: [] }, { session: [], ...(method !== 'GET' && { csrfToken: [] }) }];
}

/** A response with 202 may be an approval, also where 202 is the status of success. */
function successSchema({ success, fourEyes }: RouteDefinition): z.ZodType {
  const schema = success.schema ?? z.never();
  return fourEyes && success.status === 202 ? z.union([schema, approvalResources.approval]) : schema;
}

function acceptedResponse(route: RouteDefinition, refs: ReadonlyMap<z.ZodType, string>): Record<string, object> {
  const { success, mayTakeLonger, fourEyes } = route;
  if (success.schema === undefined || success.status === 202 || !(mayTakeLonger || fourEyes)) return {};
  const described = (description: string, schema: z.ZodType) => ({
    202: { description, content: json(schema, refs, 'output') },
  });
  if (!fourEyes) return described('Accepted, and not finished yet', success.schema);
  if (!mayTakeLonger) return described('Waits for an approval', approvalResources.approval);
  const either = z.union([success.schema, approvalResources.approval]);
  return described('Accepted, and not finished yet; or waits for an approval', either);
}

const webhookHeaders: Record<string, string> = {
  'webhook-id': 'The id of the event; the same for every attempt.',
  'webhook-timestamp': 'Time of the attempt, in Unix seconds.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 of `id.timestamp.body`; several during a rotation. A webhook with a key pair also has `v1a,` and the base64 of the Ed25519 signature.',
};

/** Describes a request to a receiver; docs/webhooks.md has the details. */
function webhookOperation(type: EventType, refs: ReadonlyMap<z.ZodType, string>): Record<string, unknown> {
  const [content] = Object.values(json(eventBody(type), refs, 'output')) as [object];
  return {
    summary: type,
    description: eventCatalogue[type].meaning,
    operationId: `receive${eventName(type)}`,
    tags: [receivedEvents],
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
  type = 'application/json',
): Record<string, { schema: object }> {
  const ref = refs.get(schema);
  return { [type]: { schema: ref ? { $ref: ref } : inline(schema, refs, io) } };
}

function bodyContent(body: z.ZodType, refs: ReadonlyMap<z.ZodType, string>, type?: string): Record<string, object> {
  const content = Object.entries(json(body, refs, 'input', type));
  return Object.fromEntries(content.map(([name, { schema }]) => [name, { schema, example: exampleOf(schema) }]));
}

function withExample(content: Record<string, object>, route: RouteDefinition): Record<string, object> {
  const example = responseExamples[operationIdOf(route)];
  if (example === undefined) return content;
  return Object.fromEntries(Object.entries(content).map(([type, body]) => [type, { ...body, example }]));
}

/** Returns a schema without a name, with references to the named schemas that it contains. */
function inline(schema: z.ZodType, refs: ReadonlyMap<z.ZodType, string>, io: 'input' | 'output'): object {
  return stripped(
    z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const ref = refs.get(zodSchema as unknown as z.ZodType);
        if (!ref) {
          if (io === 'output') relax(jsonSchema);
          return makeUsable(jsonSchema);
        }
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

/** Removes what generators of code cannot use: a default that is not valid, and `\/`, which some of them escape again. */
function makeUsable(schema: Record<string, unknown>): void {
  const { default: value, required, pattern } = schema;
  // An empty object is the default of secrets, so that each missing one is reported by its name.
  if (typeof value === 'object' && Array.isArray(required) && required.length > 0) delete schema.default;
  if (typeof pattern === 'string') schema.pattern = pattern.replaceAll('\\/', '/');
}

/** Removes keywords that are only valid in a separate document. */
function stripped({ $schema: _schema, $id: _id, id: _name, ...rest }: Record<string, unknown>): object {
  return rest;
}

/** Any event of the feed. Clients distinguish them by `type`, and must ignore types that they do not know. */
function anyEvent(): Record<string, unknown> {
  const ref = (type: EventType) => `#/components/schemas/${eventName(type)}`;
  return {
    type: 'object',
    oneOf: eventTypes.map((type) => ({ $ref: ref(type) })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(eventTypes.map((type) => [type, ref(type)])) },
  };
}

function eventName(type: EventType): string {
  return `${type.split(/[._]/).map(capitalised).join('')}Event`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
