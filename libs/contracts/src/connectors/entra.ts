import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, mapped, ownMapping } from './field-map.js';
import { flag, neutral, secret, target } from './field-marks.js';
import { sourceUrl } from './http-source.js';

/** Configuration for users or service principals (machine identities) of a Microsoft Entra ID tenant. */
export const entraConfig = z.strictObject({
  tenant_id: target(
    text.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/, { error: 'must be the id or a domain of a tenant' }),
  ),
  client_id: target(text.min(1).max(256).describe('Application (client) ID of the app registration that reads.')),
  url: target(
    sourceUrl.default('https://graph.microsoft.com').describe('URL of Microsoft Graph; differs in national clouds.'),
  ),
  login_url: target(
    sourceUrl
      .default('https://login.microsoftonline.com')
      .describe('URL of the sign-in service; differs in national clouds.'),
  ),
  user_types: neutral(
    z
      .array(z.enum(['member', 'guest']))
      .min(1)
      .default(['member', 'guest'])
      .describe('The types of users that are read.'),
  ),
  microsoft_apps: flag(false, 'Whether service principals of Microsoft applications are read.'),
  ...ownMapping(
    'id',
    'Maps fields to properties or to `@groups`, `@owners`, `@oldest_credential` or `@first_expiry`. Default: `entraFields`.',
  ),
});
export type EntraConfig = z.infer<typeof entraConfig>;

const secrets = z.strictObject({ client_secret: secret(text.min(1).max(1024)) });

export const entra = defineConnector({ config: entraConfig, secrets, reportsChanges: 'depends' });

const status = (disabled: string) => mapped('accountEnabled', { true: 'active', false: disabled });

const person = {
  user_principal_name: 'userPrincipalName',
  display_name: 'displayName',
  email: 'mail',
  first_name: 'givenName',
  last_name: 'surname',
  job_title: 'jobTitle',
  employee_number: 'employeeId',
};

/** The default mapping. */
export const entraFields: Record<RecordKind, FieldMap> = {
  user: {
    ...person,
    departments: 'department',
    hire_date: 'employeeHireDate',
    status: status('inactive'),
  },
  account: {
    identifier: 'userPrincipalName',
    ...person,
    status: status('disabled'),
    'attributes.user_type': 'userType',
  },
  machine_identity: {
    account_id: 'appId',
    display_name: 'displayName',
    classification: mapped(
      'servicePrincipalType',
      { Application: 'oauth_app', Legacy: 'oauth_app', ManagedIdentity: 'workload' },
      'unknown',
    ),
    owned_by: '@owners',
    status: status('disabled'),
    'attributes.service_principal_type': 'servicePrincipalType',
    'attributes.app_owner_tenant': 'appOwnerOrganizationId',
    'attributes.secret_created_at': '@oldest_credential',
    'attributes.secret_expires_at': '@first_expiry',
  },
};
