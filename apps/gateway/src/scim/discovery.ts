import { ApiError } from '../http/api-error.js';
import { largestPage } from './scim-bounds.js';
import type { ScimQuery } from './scim-query.js';
import { enterpriseSchema, groupSchema, schemas, userSchema } from './scim-schemas.js';

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

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
export function describedSchemas(base: string): Map<string, object> {
  return new Map(
    schemas.map((schema) => [
      schema.id,
      { ...schema, meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` } },
    ]),
  );
}

/** Discovery endpoints must reject filters (RFC 7644, section 4). */
export function refuseFilter(query: ScimQuery): void {
  if (query.filter !== undefined) throw new ApiError(403, 'this list cannot be filtered');
}
