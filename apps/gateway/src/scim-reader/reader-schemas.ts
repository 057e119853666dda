import { resourceTypes, serviceProviderConfig } from '../scim/discovery.js';
import { enterpriseSchema, groupSchema, type ScimAttribute, userSchema } from '../scim/scim-schemas.js';

/** Resources in one page. */
export const largestPage = 200;
export const defaultPage = 100;

/** Attributes that `present.ts` renders. */
const served: Readonly<Record<string, readonly string[]>> = {
  [userSchema.id]: ['userName', 'name', 'displayName', 'title', 'active', 'emails', 'groups', 'roles'],
  [groupSchema.id]: ['displayName', 'members'],
  [enterpriseSchema.id]: ['department'],
};
const servedParts: Readonly<Record<string, readonly string[]>> = {
  name: ['givenName', 'familyName'],
  emails: ['value', 'type', 'primary'],
  groups: ['value', '$ref', 'display'],
  roles: ['value'],
  members: ['value', '$ref', 'display', 'type'],
};

/** Returns the schemas by URN, with the attributes that this service has; all of them are read-only. */
export function readerSchemas(base: string): Map<string, object> {
  const schemas = [userSchema, groupSchema, enterpriseSchema].map((schema) => ({
    ...schema,
    attributes: schema.attributes
      .filter(({ name }) => served[schema.id]?.includes(name))
      .map((attribute) => ({
        ...readOnly(attribute),
        // All members of a large group do not fit into a list of groups.
        ...(attribute.name === 'members' && { returned: 'request' }),
      })),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
  return new Map(schemas.map((schema) => [schema.id, schema]));
}

function readOnly(attribute: ScimAttribute): ScimAttribute {
  const parts = attribute.subAttributes?.filter(({ name }) => servedParts[attribute.name]?.includes(name));
  return { ...attribute, mutability: 'readOnly', ...(parts && { subAttributes: parts.map(readOnly) }) };
}

/** Describes the features of the service (RFC 7643, section 5; RFC 9865, section 4). */
export function readerConfig(base: string): object {
  return {
    ...serviceProviderConfig(base),
    patch: { supported: false },
    filter: { supported: true, maxResults: largestPage },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: defaultPage,
      maxPageSize: largestPage,
    },
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'Bearer token', description: 'An API key of the tenant.', primary: true },
    ],
  };
}

export { resourceTypes as readerTypes };
