import type { Operation } from '../documented-answers.js';
import type { Schema } from './from-schema.js';

const listOf = (items: Schema): Schema => ({ type: 'array', items });
const text: Schema = { type: 'string', minLength: 1, maxLength: 40 };
const plain: Schema = { type: 'string' };
const shown = { schemas: listOf(plain), id: plain, meta: { type: 'object' } };
const resource: Schema = { type: 'object', properties: shown, required: ['schemas', 'id'] };
const discovered: Schema = { type: 'object', properties: { schemas: shown.schemas }, required: ['schemas'] };
const whole: Schema = { type: 'integer', minimum: 0 };
const list = (items: Schema): Schema => ({
  type: 'object',
  properties: {
    schemas: shown.schemas,
    totalResults: whole,
    startIndex: whole,
    itemsPerPage: whole,
    Resources: listOf(items),
  },
  required: ['schemas', 'totalResults', 'Resources'],
});
/** RFC 7644, section 3.12. */
const error: Schema = {
  type: 'object',
  properties: {
    schemas: { const: ['urn:ietf:params:scim:api:messages:2.0:Error'] },
    status: { type: 'string', pattern: '^[45]\\d\\d$' },
    scimType: plain,
    detail: { type: 'string', minLength: 1 },
  },
  required: ['schemas', 'status', 'detail'],
  additionalProperties: false,
};

const user: Schema = {
  type: 'object',
  properties: {
    schemas: { const: ['urn:ietf:params:scim:schemas:core:2.0:User'] },
    userName: text,
    externalId: text,
    active: { type: 'boolean' },
    displayName: text,
    name: { type: 'object', properties: { givenName: text, familyName: text } },
    emails: listOf({ type: 'object', properties: { value: text, type: text, primary: { type: 'boolean' } } }),
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
      type: 'object',
      properties: { employeeNumber: text, manager: { type: 'object', properties: { value: text } } },
    },
  },
  required: ['schemas', 'userName'],
};
const group: Schema = {
  type: 'object',
  properties: {
    schemas: { const: ['urn:ietf:params:scim:schemas:core:2.0:Group'] },
    displayName: text,
    externalId: text,
    members: listOf({ type: 'object', properties: { value: { type: 'string' } }, required: ['value'] }),
  },
  required: ['schemas', 'displayName'],
};
const paths = [
  'active',
  'name.givenName',
  'members',
  'members[value eq "x"]',
  'emails[type eq "work"].value',
  'emails[primary eq true and value co "a"]',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
];
const patch: Schema = {
  type: 'object',
  properties: {
    schemas: { const: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] },
    Operations: {
      ...listOf({
        type: 'object',
        properties: {
          op: { enum: ['add', 'replace', 'remove', 'Add', 'Replace'] },
          path: { enum: paths },
          value: { anyOf: [text, { type: 'boolean' }, listOf({ type: 'object', properties: { value: text } }), user] },
        },
        required: ['op'],
      }),
      minItems: 1,
    },
  },
  required: ['schemas', 'Operations'],
};

const filters = [
  'userName eq "x"',
  'displayName co "a"',
  'active eq true',
  'not (id pr)',
  'userName sw "u" or id pr',
  'a eq',
];
const query = [
  { name: 'filter', in: 'query', schema: { enum: filters } },
  { name: 'startIndex', in: 'query', schema: { type: 'integer' } },
  { name: 'count', in: 'query', schema: { type: 'integer' } },
  { name: 'attributes', in: 'query', schema: { enum: ['userName', 'members', 'emails.value,id'] } },
  { name: 'excludedAttributes', in: 'query', schema: { enum: ['members', 'groups', 'meta'] } },
];
const ofAny = [400, 401, 408, 413, 415, 429, 503];

function operation(success: Record<number, Schema | undefined>, errors: number[], body?: Schema): Operation {
  const content = (schema?: Schema) => (schema ? { content: { 'application/scim+json': { schema } } } : {});
  return {
    parameters: query,
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    responses: Object.fromEntries([
      ...Object.entries(success).map(([status, schema]) => [status, content(schema)]),
      ...[...ofAny, ...errors].map((status) => [status, content(error)]),
      // Not a SCIM error, because it is refused before the path is known.
      [431, {}],
    ]),
  };
}

function resourcesOf(kind: 'Users' | 'Groups', body: Schema): Record<string, Record<string, Operation>> {
  const base = `/scim/v2/{scimConnectorId}/${kind}`;
  return {
    [base]: {
      get: operation({ 200: list(resource) }, []),
      post: operation({ 201: resource }, [409], body),
    },
    [`${base}/{${kind}Id}`]: {
      get: operation({ 200: resource, 304: undefined }, [404]),
      put: operation({ 200: resource }, [404, 409, 412], body),
      patch: operation({ 200: resource, 204: undefined }, [404, 409, 412], patch),
      delete: operation({ 204: undefined }, [404, 412]),
    },
  };
}

/** The SCIM service of docs/connectors/scim-push.md and RFC 7644 in the format of openapi.json. */
export const scimOperations: Record<string, Record<string, Operation>> = {
  ...resourcesOf('Users', user),
  ...resourcesOf('Groups', group),
  '/scim/v2/{scimConnectorId}/ServiceProviderConfig': { get: operation({ 200: discovered }, []) },
  '/scim/v2/{scimConnectorId}/ResourceTypes': { get: operation({ 200: list(discovered) }, [403]) },
  '/scim/v2/{scimConnectorId}/Schemas': { get: operation({ 200: list({ type: 'object' }) }, [403]) },
  '/scim/v2/{scimConnectorId}/Bulk': { post: operation({}, [501]) },
  '/scim/v2/{scimConnectorId}/Me': { get: operation({}, [501]) },
};
