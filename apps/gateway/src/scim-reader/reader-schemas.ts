import { type Discovery, describedSchemas, resourceTypes, serviceProviderConfig } from '../scim/discovery.js';
import { defaultPage, largestPage } from '../scim/scim-bounds.js';
import { enterpriseSchema, groupSchema, type ScimAttribute, schemas, userSchema } from '../scim/scim-schemas.js';

/** Attributes that `present-resource.ts` renders. */
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

/** Describes the service, which has some of the attributes, all of them read-only. */
export function readService(base: string): Discovery {
  const described = schemas.map((schema) => ({
    ...schema,
    attributes: schema.attributes
      .filter(({ name }) => served[schema.id]?.includes(name))
      .map((attribute) => ({
        ...readOnly(attribute),
        // All members of a large group do not fit into a list of groups.
        ...(attribute.name === 'members' && { returned: 'request' }),
      })),
  }));
  return { config: readerConfig(base), types: resourceTypes(base), schemas: describedSchemas(base, described) };
}

function readOnly(attribute: ScimAttribute): ScimAttribute {
  const parts = attribute.subAttributes?.filter(({ name }) => servedParts[attribute.name]?.includes(name));
  return { ...attribute, mutability: 'readOnly', ...(parts && { subAttributes: parts.map(readOnly) }) };
}

/** Describes the features of the service (RFC 7643, section 5; RFC 9865, section 4). */
function readerConfig(base: string): object {
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
