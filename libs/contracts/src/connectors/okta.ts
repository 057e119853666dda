import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, mapped, ownMapping } from './field-map.js';
import { flag, secret, target } from './field-marks.js';
import { sourceUrl } from './http-source.js';

/** Configuration for users or service apps (machine identities) of an Okta organization. */
export const oktaConfig = z.strictObject({
  url: target(sourceUrl.describe('`https://<organization>.okta.com`')),
  client_id: target(
    text
      .min(1)
      .max(256)
      .optional()
      .describe('Client ID of a service app with `secrets.private_key`. If absent, `secrets.token` is used.'),
  ),
  key_id: target(text.min(1).max(256).optional().describe('Key ID of the private key.')),
  deprovisioned: flag(true, 'Whether deactivated users are read.'),
  ...ownMapping('id', 'Maps fields to paths of the resource or to `@groups`. Default: `oktaFields`.'),
});
export type OktaConfig = z.infer<typeof oktaConfig>;

const secrets = z.strictObject({
  token: secret(text.min(1).max(1024).optional()),
  private_key: secret(text.min(1).max(16_384).optional().describe('Private key in PEM (PKCS #8).')),
});

export const okta = defineConnector({ config: oktaConfig, secrets, reportsChanges: 'depends' });

const person = {
  user_principal_name: 'profile.login',
  display_name: 'profile.displayName',
  email: 'profile.email',
  first_name: 'profile.firstName',
  last_name: 'profile.lastName',
  job_title: 'profile.title',
  employee_number: 'profile.employeeNumber',
};

/** The default mapping. */
export const oktaFields: Record<RecordKind, FieldMap> = {
  user: {
    ...person,
    departments: 'profile.department',
    status: mapped('status', {
      STAGED: 'pending',
      PROVISIONED: 'pending',
      ACTIVE: 'active',
      RECOVERY: 'active',
      PASSWORD_EXPIRED: 'active',
      LOCKED_OUT: 'active',
      SUSPENDED: 'suspended',
      DEPROVISIONED: 'inactive',
    }),
  },
  account: {
    identifier: 'profile.login',
    ...person,
    'attributes.last_login_at': 'lastLogin',
    'attributes.password_changed_at': 'passwordChanged',
    status: mapped('status', {
      ACTIVE: 'active',
      RECOVERY: 'active',
      PASSWORD_EXPIRED: 'active',
      LOCKED_OUT: 'locked',
      STAGED: 'disabled',
      PROVISIONED: 'disabled',
      SUSPENDED: 'disabled',
      DEPROVISIONED: 'disabled',
    }),
  },
  machine_identity: {
    account_id: 'credentials.oauthClient.client_id',
    display_name: 'label',
    classification: { value: 'oauth_app' },
    status: mapped('status', { ACTIVE: 'active', INACTIVE: 'disabled' }),
    'attributes.grant_types': 'settings.oauthClient.grant_types',
    'attributes.authentication': 'credentials.oauthClient.token_endpoint_auth_method',
    'attributes.created_at': 'created',
  },
};
