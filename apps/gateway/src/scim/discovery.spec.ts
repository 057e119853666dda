import { expect, it } from '@jest/globals';
import { resourceTypes } from './discovery.js';

it('SCIM users may have the attributes of the enterprise extension, and groups have no extension', () => {
  const types = resourceTypes('https://idsync.example/scim/v2/con_1');
  expect([...types.values()]).toMatchObject([
    {
      id: 'User',
      endpoint: '/Users',
      schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
      schemaExtensions: [{ schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false }],
      meta: { location: 'https://idsync.example/scim/v2/con_1/ResourceTypes/User' },
    },
    { id: 'Group', endpoint: '/Groups', schemaExtensions: [] },
  ]);
});
