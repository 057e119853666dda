import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { eventTypes } from '../fixed-values.js';
import { openApiDocument } from './openapi.js';
import { routes } from './routes.js';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'));
const document = openApiDocument(read('package.json').version);
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: { ...operation, responses: resolved(operation.responses) },
    })),
);

/** Replaces references to the error responses that operations share. */
function resolved(responses: Operation['responses']): Operation['responses'] {
  const { responses: shared } = document.components as { responses: Record<string, Operation['responses'][string]> };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const name = (response as { $ref?: string }).$ref?.replace('#/components/responses/', '');
      return [status, name === undefined ? response : (shared[name] ?? {})];
    }),
  );
}

interface AnyEvent {
  oneOf: object[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
}

interface Operation {
  operationId: string;
  description: string;
  'x-codeSamples'?: { label: string }[];
  tags: string[];
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<
    string,
    { content?: Record<string, { schema: object; example?: unknown }>; headers?: Record<string, { schema: object }> }
  >;
}

interface Webhook {
  requestBody: { content: { 'application/json': { schema: object; example: { data: object } } } };
}

const ofProvider = ['/admin/v1/session/oidc/', '/admin/v1/session/device'];
const isOfProvider = (path: string) => ofProvider.some((prefix) => path.startsWith(prefix));
const open = ['GET /v1/health', 'GET /admin/v1/session/methods', 'POST /admin/v1/session'];
/** Redirects report what fails by their address. */
const withoutDatabase = [
  ...['/v1/health', '/admin/v1/session/methods'],
  ...['start', 'callback', 'end'].map((name) => `/admin/v1/session/oidc/${name}`),
];

const approval = { $ref: '#/components/schemas/Approval' };
/** Returns whether the operation may wait for a second operator. */
function mayWait({ operation }: (typeof operations)[number]): boolean {
  return JSON.stringify(operation.responses[202]?.content ?? {}).includes(JSON.stringify(approval));
}

/** The 13 endpoints of the interface specification, with their statuses; all have 500. */
const specified: Record<string, number[]> = {
  'GET /v1/health': [200],
  'GET /v1/identities': [200, 400, 401],
  'GET /v1/identities/{id}': [200, 401, 404],
  'GET /v1/identities/{id}/history': [200, 400, 401, 404],
  'GET /v1/users': [200, 400, 401],
  'GET /v1/users/{id}': [200, 401, 404],
  'POST /v1/sync/trigger': [202, 400, 401, 404],
  'GET /v1/sync/jobs/{id}': [200, 401, 404],
  'POST /v1/webhooks': [201, 400, 401],
  'GET /v1/webhooks': [200, 401],
  'PATCH /v1/webhooks/{id}': [200, 400, 401, 404],
  'DELETE /v1/webhooks/{id}': [204, 401, 404],
  'POST /v1/webhooks/{id}/rotate-secret': [200, 400, 401, 404],
};

/** Additional endpoints of `/v1`. */
const added: Record<string, number[]> = {
  'GET /v1/events': [200, 400, 401],
  'GET /v1/accounts': [200, 400, 401],
  'GET /v1/accounts/{id}': [200, 401, 404],
  'GET /v1/machine-identities': [200, 400, 401],
  'GET /v1/machine-identities/{id}': [200, 401, 404],
  'GET /v1/groups': [200, 400, 401],
  'GET /v1/groups/{id}': [200, 401, 404],
  'GET /v1/groups/{id}/members': [200, 400, 401, 404],
  'GET /v1/connectors': [200, 400, 401],
  'GET /v1/webhooks/{id}': [200, 401, 404],
  'POST /v1/webhooks/{id}/test': [202, 400, 401, 404, 429],
  'GET /v1/webhooks/{id}/deliveries': [200, 400, 401, 404],
  'GET /v1/webhooks/{id}/deliveries/{deliveryId}': [200, 401, 404],
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend': [202, 400, 401, 404, 429],
  'POST /v1/webhooks/{id}/requeue': [202, 400, 401, 404, 429],
  'GET /v1/webhooks/{id}/replays/{replayId}': [200, 401, 404],
  'POST /v1/webhooks/{id}/signing-keys': [201, 400, 401, 404],
  'GET /v1/webhooks/{id}/signing-keys': [200, 401, 404],
  'POST /v1/portal-links': [201, 400, 401, 403, 404, 429],
  'DELETE /v1/webhooks/{id}/portal-links': [204, 401, 404],
};

describe('the OpenAPI document', () => {
  it('matches openapi.json, which npm run openapi generates', () => {
    expect(read('openapi.json')).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('has only schemas that compile as JSON Schema 2020-12, including references', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword);
    const schemas = operations.flatMap(({ operation: { parameters, requestBody, responses } }) => [
      ...parameters.map((parameter) => parameter.schema),
      ...[requestBody, ...Object.values(responses)].flatMap(
        (part) => part?.content?.['application/json']?.schema ?? [],
      ),
    ]);
    expect(schemas.length).toBeGreaterThan(100);
    // In one document, so that each component is compiled once.
    const $id = 'https://idsync.example/openapi';
    ajv.addSchema({ $id, components: document.components, $defs: { ...schemas } });
    for (const nth of schemas.keys()) {
      expect(() => ajv.compile({ $ref: `${$id}#/$defs/${nth}` })).not.toThrow();
    }
  });

  it('describes each event type with a schema and a matching example', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword);
    const webhooks = document.webhooks as Record<string, { post: Webhook }>;
    expect(Object.keys(webhooks)).toEqual(eventTypes);
    for (const { post } of Object.values(webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      const validate = ajv.compile({ ...schema, components: document.components });
      expect(validate(example) ? [] : validate.errors).toEqual([]);
      const { data, ...rest } = example;
      expect(validate({ ...rest, data: { ...data, grown: 1 } })).toBe(true);
      expect(validate({ ...rest, data: { ...data, changed: 'email' } })).toBe(false);
    }
  });

  it('contains the thirteen endpoints of the specification with their statuses, and the additional ones', () => {
    const expected = { ...specified, ...added };
    const found = operations.filter(({ path }) => path.startsWith('/v1/'));
    expect(found.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(expected).sort());
    for (const { method, path, operation } of found) {
      const statuses = Object.keys(operation.responses).map(Number);
      expect(statuses).toEqual(expect.arrayContaining([...(expected[`${method} ${path}`] ?? []), 500]));
    }
  });

  it('requires an API key on every /v1 route except the health check, and a token or a session on /admin/v1 except sign-in', () => {
    for (const { method, path, operation } of operations) {
      const withCookie = method === 'GET' ? { session: [] } : { session: [], csrfToken: [] };
      const ofPath = path.startsWith('/v1/') ? [{ apiKey: [] }] : [{ operator: [] }, withCookie];
      expect([path, operation.security]).toEqual([
        path,
        open.includes(`${method} ${path}`) || isOfProvider(path) ? [] : ofPath,
      ]);
    }
  });

  it('describes every error response with the same schema', () => {
    const { Error: error } = (document.components as { schemas: Record<string, object> }).schemas;
    expect(error).toMatchObject({ type: 'object', properties: { error: { type: 'string' } }, required: ['error'] });
    for (const { operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' });
      }
    }
  });

  it('documents 503 with Retry-After for every route that uses the database', () => {
    for (const { path, operation } of operations) {
      const { 503: unavailable } = operation.responses;
      if (withoutDatabase.includes(path)) expect(unavailable).toBeUndefined();
      else expect(unavailable?.headers?.['Retry-After']?.schema).toEqual({ type: 'integer', minimum: 1 });
    }
  });

  it('documents the errors of each operation according to its input', () => {
    for (const { method, path, operation } of operations) {
      const statuses = Object.keys(operation.responses).map(Number);
      const taken = [
        400,
        408,
        431,
        500,
        ...(method === 'GET' ? [] : [413]),
        ...(path.includes('{') || ['/v1/sync/trigger', '/v1/portal-links'].includes(path) || isOfProvider(path)
          ? [404]
          : []),
        ...(withoutDatabase.includes(path) ? [] : [401]),
        ...(path.startsWith('/v1/') && path !== '/v1/health' ? [403, 429] : []),
      ];
      expect({ method, path, statuses }).toEqual({ method, path, statuses: expect.arrayContaining(taken) });
      expect(statuses.includes(404)).toBe(taken.includes(404));
    }
  });

  it('documents 202 with the success body where another service may take longer than the request waits', () => {
    const slow = operations.filter(({ operation }) => operation.responses[200] && operation.responses[202]);
    expect(slow.map(({ method, path }) => `${method} ${path.split('/').slice(5).join('/')}`).sort()).toEqual([
      'PATCH connectors/{connectorId}',
      'PATCH settings',
      'POST cases/{caseId}/resolve',
      'POST connectors/{connectorId}/discover',
      'POST connectors/{connectorId}/records/{externalId}/sync',
      'POST connectors/{connectorId}/test',
      'POST deleted-connectors/{connectorId}/hand-over',
      'POST findings/{findingId}/accept',
      'POST findings/{findingId}/reopen',
      'POST identities/{identityId}/erase',
      'POST identities/{identityId}/merge',
      'POST identities/{identityId}/split',
      'POST matching-rules/preview',
      'POST operations/{operationId}/cancel',
      'POST operations/{operationId}/confirm',
      'POST operations/{operationId}/revert',
      'POST sync-jobs/{jobId}/apply',
      'POST sync-jobs/{jobId}/undo',
      'PUT attribute-priorities',
      'PUT lifecycle-policy',
      'PUT matching-rules',
      'PUT operator-policy',
    ]);
    for (const { operation } of slow.filter((each) => !mayWait(each)))
      expect(operation.responses[202]?.content).toEqual(operation.responses[200]?.content);
  });

  it('documents 202 with an approval where four eyes may require a second operator', () => {
    const waiting = operations.filter(mayWait);
    expect(waiting.map(({ method, path }) => `${method} ${path.split('/').slice(5).join('/')}`).sort()).toEqual([
      'PATCH connectors/{connectorId}',
      'PATCH settings',
      'POST deleted-connectors/{connectorId}/hand-over',
      'POST deleted-connectors/{connectorId}/retire',
      'POST deletion',
      'POST identities/{identityId}/erase',
      'POST operations/{operationId}/confirm',
      'POST sync-jobs/{jobId}/apply',
      'POST sync-jobs/{jobId}/release',
      'POST sync-jobs/{jobId}/undo',
      'PUT attribute-priorities',
      'PUT lifecycle-policy',
      'PUT matching-rules',
      'PUT operator-policy',
    ]);
  });

  it('names every operation by a verb and its resource, uniquely', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(routes.length);
    expect(names.filter((name) => !name.startsWith('admin'))).toEqual([
      'getHealth',
      'listIdentities',
      'getIdentity',
      'listIdentityHistory',
      'listUsers',
      'getUser',
      'listAccounts',
      'getAccount',
      'listMachineIdentities',
      'getMachineIdentity',
      'listGroups',
      'getGroup',
      'listGroupMembers',
      'listConnectors',
      'triggerSync',
      'getSyncJob',
      'createWebhook',
      'listWebhooks',
      'updateWebhook',
      'deleteWebhook',
      'getWebhook',
      'rotateWebhookSecret',
      'listEvents',
      'testWebhook',
      'listWebhookDeliveries',
      'getWebhookDelivery',
      'resendWebhookDelivery',
      'requeueWebhook',
      'getWebhookReplay',
      'createWebhookSigningKey',
      'listWebhookSigningKeys',
      'createPortalLink',
      'revokeWebhookPortalLinks',
    ]);
    expect(names).toEqual(
      expect.arrayContaining([
        'adminCreateTenant',
        'adminDeleteConnectorToken',
        'adminSyncConnectorRecord',
        'adminExplainIdentity',
        'adminGetSyncJobPlan',
        'adminReplaceMatchingRules',
        'adminPreviewMatchingRules',
      ]),
    );
  });

  it('says which scope or role each operation needs', () => {
    const needs = operations.map(({ method, path, operation }) => {
      const { auth, scope, role, forAllTenants } =
        routes.find((each) => each.method === method && each.path === path) ?? {};
      const said = operation.description.split('\n\n').at(-1);
      if (auth === 'none') return [said, 'Needs no authentication.'];
      if (auth === 'key') return [said, `Needs an API key with the scope \`${scope}\`.`];
      return [said, `Needs the role \`${role}\`${forAllTenants ? ', for all tenants' : ''}.`];
    });
    expect(needs.map(([said]) => said)).toEqual(needs.map(([, expected]) => expected));
    expect(needs.flat().join()).not.toContain('undefined');
  });

  it('has a TypeScript sample of every /v1 operation', () => {
    const ofClients = operations.filter(({ path }) => path.startsWith('/v1/'));
    for (const { operation } of ofClients) expect(operation['x-codeSamples']).toMatchObject([{ label: 'TypeScript' }]);
  });

  it('puts every operation under a topic, and every topic into one section', () => {
    const names = (document.tags as { name: string }[]).map(({ name }) => name);
    const grouped = (document['x-tagGroups'] as { tags: string[] }[]).flatMap(({ tags }) => tags);
    expect(grouped).toEqual(names);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(names.filter((name) => name !== 'Received events' && !used.has(name))).toEqual([]);
    expect([...used].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('shows an example of every successful response of /v1, which its schema accepts', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword);
    const ofClients = operations.filter(({ path, method }) => path.startsWith('/v1/') && method !== 'DELETE');
    for (const { operation } of ofClients) {
      const content = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content;
      const { schema, example } = content?.['application/json'] ?? { schema: {} };
      expect({ id: operation.operationId, example }).toEqual({ id: operation.operationId, example: expect.anything() });
      const validate = ajv.compile({ ...schema, components: document.components });
      expect(validate(example) ? [] : validate.errors).toEqual([]);
    }
  });

  it('describes the events of the feed as a union that their type distinguishes', () => {
    const { Event: event } = (document.components as { schemas: Record<string, AnyEvent> }).schemas;
    expect(event?.oneOf).toHaveLength(eventTypes.length);
    expect(event?.discriminator.propertyName).toBe('type');
    expect(event?.discriminator.mapping['user.updated']).toBe('#/components/schemas/UserUpdatedEvent');
  });

  it('lists the values of a status', () => {
    const { User: user } = (document.components as { schemas: Record<string, { properties: object }> }).schemas;
    expect(user?.properties).toMatchObject({
      status: { type: 'string', enum: ['pending', 'active', 'suspended', 'inactive', 'deleted'] },
    });
  });

  it('documents the request body of each /v1 endpoint that has one', () => {
    const withBody = operations.filter(({ path, operation }) => path.startsWith('/v1/') && operation.requestBody);
    expect(withBody.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/sync/trigger',
      'POST /v1/webhooks',
      'PATCH /v1/webhooks/{id}',
      'POST /v1/webhooks/{id}/rotate-secret',
      'POST /v1/webhooks/{id}/test',
      'POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend',
      'POST /v1/webhooks/{id}/requeue',
      'POST /v1/webhooks/{id}/signing-keys',
      'POST /v1/portal-links',
    ]);
  });
});
