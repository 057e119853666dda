import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { eventTypes } from '../events.js';
import { openApiDocument } from './openapi.js';
import { routes } from './routes.js';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'));
const document = openApiDocument(read('package.json').version);
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Webhook {
  requestBody: { content: { 'application/json': { schema: object; example: { data: object } } } };
}

/** The 13 endpoints of the interface specification, with the statuses it names; 500 is on all of them. */
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
  'POST /v1/webhooks/{id}/rotate-secret': [200, 401, 404],
};

/** What `/v1` has beside them. */
const added: Record<string, number[]> = { 'GET /v1/events': [200, 400, 401] };

describe('the OpenAPI document', () => {
  it('is the one in openapi.json; npm run openapi writes it anew', () => {
    expect(read('openapi.json')).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('has schemas that all compile as JSON Schema 2020-12, each reference included', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    ajv.addKeyword('components');
    const schemas = operations.flatMap(({ operation: { parameters, requestBody, responses } }) => [
      ...parameters.map((parameter) => parameter.schema),
      ...[requestBody, ...Object.values(responses)].flatMap(
        (part) => part?.content?.['application/json']?.schema ?? [],
      ),
    ]);
    expect(schemas.length).toBeGreaterThan(100);
    for (const schema of schemas) {
      expect(() => ajv.compile({ ...schema, components: document.components })).not.toThrow();
    }
  });

  it('tells each kind of event with a body and an example of it', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    ajv.addKeyword('components');
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

  it('names the thirteen endpoints of the specification and the statuses it gives them, and what was added', () => {
    const expected = { ...specified, ...added };
    const found = operations.filter(({ path }) => path.startsWith('/v1/'));
    expect(found.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(expected).sort());
    for (const { method, path, operation } of found) {
      const statuses = Object.keys(operation.responses).map(Number);
      expect(statuses).toEqual(expect.arrayContaining([...(expected[`${method} ${path}`] ?? []), 500]));
    }
  });

  it('asks for a key on every /v1 route but the health check, and for the operator on /admin/v1', () => {
    for (const { path, operation } of operations) {
      const scheme = path === '/v1/health' ? [] : [{ [path.startsWith('/v1/') ? 'apiKey' : 'operator']: [] }];
      expect(operation.security).toEqual(scheme);
    }
  });

  it('answers every error with one text', () => {
    const { Error: error } = (document.components as { schemas: Record<string, object> }).schemas;
    expect(error).toMatchObject({ type: 'object', properties: { error: { type: 'string' } }, required: ['error'] });
    for (const { operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' });
      }
    }
  });

  it('gives every operation a name of its own', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(routes.length);
  });

  it('shows the body of each /v1 endpoint that takes one', () => {
    const withBody = operations.filter(({ path, operation }) => path.startsWith('/v1/') && operation.requestBody);
    expect(withBody.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/sync/trigger',
      'POST /v1/webhooks',
      'PATCH /v1/webhooks/{id}',
    ]);
  });
});
