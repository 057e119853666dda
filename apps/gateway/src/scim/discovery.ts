import { largestPage } from './scim-bounds.js';
import { enterpriseSchema, groupSchema, type ScimSchema, schemas, userSchema } from './scim-schemas.js';

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** The description of a service: resource types by name, schemas by URN. */
export interface Discovery {
  config: object;
  types: ReadonlyMap<string, object>;
  schemas: ReadonlyMap<string, object>;
}

/** Describes the service of a connector. */
export function pushService(base: string): Discovery {
  return { config: serviceProviderConfig(base), types: resourceTypes(base), schemas: describedSchemas(base, schemas) };
}

/** Builds a ListResponse. */
export function listResponse(resources: readonly object[], total: number, startIndex = 1): object {
  return {
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Describes the features of the service (RFC 7643, section 5). */
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

/** Returns the resource types by name. */
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

/** Returns the schemas by URN. */
export function describedSchemas(base: string, described: readonly ScimSchema[]): Map<string, object> {
  const meta = (id: string) => ({ resourceType: 'Schema', location: `${base}/Schemas/${id}` });
  return new Map(described.map((schema) => [schema.id, { ...schema, meta: meta(schema.id) }]));
}
