import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, fieldMap, mapped, ownMapping } from './field-map.js';
import { flag, neutral, target } from './field-marks.js';
import { authorities, httpAuth, httpSecrets, sourceUrl } from './http-source.js';

/** Configuration for a SCIM 2.0 service (RFC 7643, 7644). */
export const scimConfig = z.strictObject({
  url: target(sourceUrl.describe('Base URL, without `/Users`.')),
  auth: target(httpAuth.default({ type: 'bearer' })),
  resource: neutral(
    text
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, { error: 'must be the name of an endpoint' })
      .default('Users')
      .describe('The endpoint whose resources are the records.'),
  ),
  filter: neutral(text.min(1).max(1024).optional().describe('A SCIM filter. Only matching resources are read.')),
  changes: flag(
    true,
    'Whether incremental reads are used. False for a service with an unreliable `meta.lastModified`.',
  ),
  ca: target(authorities.optional()),
  ...ownMapping(
    'id',
    'Maps fields to paths of the resource or to `@groups`, the groups that contain it. Default: the attributes of RFC 7643.',
  ),
});
export type ScimConfig = z.infer<typeof scimConfig>;

export const scim = defineConnector({ config: scimConfig, secrets: httpSecrets, reportsChanges: 'depends' });

const enterprise = '["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]';
const status = (inactive: string) => mapped('active', { true: 'active', false: inactive });

const person = {
  user_principal_name: 'userName',
  display_name: 'displayName',
  email: 'emails.value',
  first_name: 'name.givenName',
  last_name: 'name.familyName',
  job_title: 'title',
  employee_number: `${enterprise}.employeeNumber`,
};

/** The default mapping by the schemas of RFC 7643. */
export const scimFields: Record<RecordKind, FieldMap> = {
  user: {
    ...person,
    departments: `${enterprise}.department`,
    manager_id: `${enterprise}.manager.value`,
    groups: 'groups[].display',
    roles: 'roles[].value',
    status: status('inactive'),
  },
  account: {
    identifier: 'userName',
    ...person,
    groups: 'groups[].display',
    status: status('disabled'),
  },
  machine_identity: {
    display_name: 'displayName',
    classification: { value: 'service_account' },
    status: status('disabled'),
  },
};

/**
 * Configuration for users and groups that an identity provider pushes by SCIM 2.0. Records have the ids that idsync
 * assigns.
 */
const scimPushConfig = z.strictObject({
  fields: neutral(
    fieldMap
      .optional()
      .describe(
        'Maps fields to paths of the pushed user; `groups[]` contains its pushed groups. Default: the attributes of RFC 7643.',
      ),
  ),
});
export type ScimPushConfig = z.infer<typeof scimPushConfig>;

export const scimPush = defineConnector({
  config: scimPushConfig,
  secrets: z.strictObject({}),
  reportsChanges: 'always',
  isPushed: true,
});
