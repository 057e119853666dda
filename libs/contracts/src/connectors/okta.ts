import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { sourceUrl } from './http-source.js';

/** An Okta organization: its users, or for machine identities its service apps. */
export const oktaConfig = z.strictObject({
  url: sourceUrl.describe('`https://<organization>.okta.com`'),
  client_id: text
    .min(1)
    .max(256)
    .optional()
    .describe('Of a service app with `secrets.private_key`; absent: `secrets.token`.'),
  key_id: text.min(1).max(256).optional().describe('Which of the keys of the service app it is.'),
  deprovisioned: z.boolean().default(true).describe('Whether deactivated users are read, too.'),
  external_id: sourceName.default('id'),
  fields: fieldMap.optional().describe('Paths of the resource, or `@groups`; `oktaFields` if absent.'),
});
export type OktaConfig = z.infer<typeof oktaConfig>;

export const oktaSecrets = z.strictObject({
  token: text.min(1).max(1024).optional(),
  private_key: text.min(1).max(16_384).optional().describe('PEM, PKCS #8.'),
});

/** Where our fields come from if a mapping is not given. */
export const oktaFields: Record<RecordKind, FieldMap> = {
  user: {
    user_principal_name: 'profile.login',
    display_name: 'profile.displayName',
    email: 'profile.email',
    first_name: 'profile.firstName',
    last_name: 'profile.lastName',
    job_title: 'profile.title',
    employee_number: 'profile.employeeNumber',
    departments: 'profile.department',
    status: {
      from: 'status',
      transform: [
        {
          map: {
            STAGED: 'pending',
            PROVISIONED: 'pending',
            ACTIVE: 'active',
            RECOVERY: 'active',
            PASSWORD_EXPIRED: 'active',
            LOCKED_OUT: 'active',
            SUSPENDED: 'suspended',
            DEPROVISIONED: 'inactive',
          },
        },
      ],
    },
  },
  account: {
    identifier: 'profile.login',
    user_principal_name: 'profile.login',
    display_name: 'profile.displayName',
    email: 'profile.email',
    first_name: 'profile.firstName',
    last_name: 'profile.lastName',
    job_title: 'profile.title',
    employee_number: 'profile.employeeNumber',
    'attributes.last_login_at': 'lastLogin',
    'attributes.password_changed_at': 'passwordChanged',
    status: {
      from: 'status',
      transform: [
        {
          map: {
            ACTIVE: 'active',
            RECOVERY: 'active',
            PASSWORD_EXPIRED: 'active',
            LOCKED_OUT: 'locked',
            STAGED: 'disabled',
            PROVISIONED: 'disabled',
            SUSPENDED: 'disabled',
            DEPROVISIONED: 'disabled',
          },
        },
      ],
    },
  },
  machine_identity: {
    account_id: 'credentials.oauthClient.client_id',
    display_name: 'label',
    classification: { value: 'oauth_app' },
    status: { from: 'status', transform: [{ map: { ACTIVE: 'active', INACTIVE: 'disabled' } }] },
    'attributes.grant_types': 'settings.oauthClient.grant_types',
    'attributes.authentication': 'credentials.oauthClient.token_endpoint_auth_method',
    'attributes.created_at': 'created',
  },
};
