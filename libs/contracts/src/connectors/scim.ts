import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { authorities, httpAuth, sourceUrl } from './http-source.js';

/** A service of SCIM 2.0 (RFC 7643, 7644). */
export const scimConfig = z.strictObject({
  url: sourceUrl.describe('What stands before `/Users`.'),
  auth: httpAuth.default({ type: 'bearer' }),
  resource: text
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, { error: 'must be the name of an endpoint' })
    .default('Users')
    .describe('The endpoint whose resources are the records.'),
  filter: text.min(1).max(1024).optional().describe('A SCIM filter: only what matches is read.'),
  changes: z.boolean().default(true).describe('False for a service whose `meta.lastModified` cannot be trusted.'),
  ca: authorities.optional(),
  external_id: sourceName.default('id'),
  fields: fieldMap
    .optional()
    .describe('Paths of the resource, or `@groups`: the groups that name it. What the standard says, if absent.'),
});
export type ScimConfig = z.infer<typeof scimConfig>;

const enterprise = '["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]';
const status = (inactive: string) => ({
  from: 'active',
  transform: [{ map: { true: 'active', false: inactive } }],
});

/** Where our fields come from if a mapping is not given: the schemas of RFC 7643. */
export const scimFields: Record<RecordKind, FieldMap> = {
  user: {
    user_principal_name: 'userName',
    display_name: 'displayName',
    email: 'emails[0].value',
    first_name: 'name.givenName',
    last_name: 'name.familyName',
    job_title: 'title',
    employee_number: `${enterprise}.employeeNumber`,
    departments: `${enterprise}.department`,
    groups: 'groups[].display',
    roles: 'roles[].value',
    status: status('inactive'),
  },
  account: {
    identifier: 'userName',
    user_principal_name: 'userName',
    display_name: 'displayName',
    email: 'emails[0].value',
    first_name: 'name.givenName',
    last_name: 'name.familyName',
    job_title: 'title',
    employee_number: `${enterprise}.employeeNumber`,
    status: status('disabled'),
  },
  machine_identity: {
    display_name: 'displayName',
    classification: { value: 'service_account' },
    status: status('disabled'),
  },
};
