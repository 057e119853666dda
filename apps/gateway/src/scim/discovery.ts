import { enterpriseSchema, groupSchema, schemas, userSchema } from './scim-schemas.js';

export const largestPage = 200;
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** An answer that is a list, with how many there are in all. */
export function listResponse(resources: readonly object[], total: number, startIndex = 1): object {
  return {
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** What this service can do (RFC 7643, section 5). */
export function serviceProviderConfig(base: string): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: largestPage },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'Bearer token', description: 'A token of this connector.', primary: true },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** The two kinds of resources, by their names. */
export function resourceTypes(base: string): Map<string, object> {
  const type = (name: string, schema: string, extensions: readonly string[]) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema,
    schemaExtensions: extensions.map((urn) => ({ schema: urn, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  return new Map([
    ['User', type('User', userSchema.id, [enterpriseSchema.id])],
    ['Group', type('Group', groupSchema.id, [])],
  ]);
}

/** The schemas, by their URNs. */
export function describedSchemas(base: string): Map<string, object> {
  return new Map(
    schemas.map((schema) => [
      schema.id,
      { ...schema, meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` } },
    ]),
  );
}
