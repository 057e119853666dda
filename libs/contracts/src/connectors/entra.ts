import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { sourceUrl } from './http-source.js';

/** A tenant of Microsoft Entra ID: its users, or for machine identities its service principals. */
export const entraConfig = z.strictObject({
  tenant_id: text.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/, { error: 'must be the id or a domain of a tenant' }),
  client_id: text.min(1).max(256).describe('Of the app registration that reads.'),
  url: sourceUrl.default('https://graph.microsoft.com').describe('Another one in national clouds.'),
  login_url: sourceUrl.default('https://login.microsoftonline.com').describe('Another one in national clouds.'),
  user_types: z
    .array(z.enum(['member', 'guest']))
    .min(1)
    .default(['member', 'guest'])
    .describe('Which users are read.'),
  microsoft_apps: z.boolean().default(false).describe('Whether the service principals of Microsoft are read, too.'),
  external_id: sourceName.default('id'),
  fields: fieldMap
    .optional()
    .describe(
      'Properties, or one of `@groups`, `@owners`, `@oldest_credential`, `@first_expiry`; `entraFields` if absent.',
    ),
});
export type EntraConfig = z.infer<typeof entraConfig>;

export const entraSecrets = z.strictObject({ client_secret: text.min(1).max(1024) });

const status = (disabled: string) => ({
  from: 'accountEnabled',
  transform: [{ map: { true: 'active', false: disabled } }],
});

/** Where our fields come from if a mapping is not given. */
export const entraFields: Record<RecordKind, FieldMap> = {
  user: {
    user_principal_name: 'userPrincipalName',
    display_name: 'displayName',
    email: 'mail',
    first_name: 'givenName',
    last_name: 'surname',
    job_title: 'jobTitle',
    employee_number: 'employeeId',
    departments: 'department',
    hire_date: 'employeeHireDate',
    status: status('inactive'),
  },
  account: {
    identifier: 'userPrincipalName',
    user_principal_name: 'userPrincipalName',
    display_name: 'displayName',
    email: 'mail',
    first_name: 'givenName',
    last_name: 'surname',
    job_title: 'jobTitle',
    employee_number: 'employeeId',
    status: status('disabled'),
    'attributes.user_type': 'userType',
  },
  machine_identity: {
    account_id: 'appId',
    display_name: 'displayName',
    classification: {
      from: 'servicePrincipalType',
      transform: [
        { map: { Application: 'oauth_app', Legacy: 'oauth_app', ManagedIdentity: 'workload' }, otherwise: 'unknown' },
      ],
    },
    owned_by: '@owners',
    status: status('disabled'),
    'attributes.service_principal_type': 'servicePrincipalType',
    'attributes.app_owner_tenant': 'appOwnerOrganizationId',
    'attributes.secret_created_at': '@oldest_credential',
    'attributes.secret_expires_at': '@first_expiry',
  },
};
