import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { neutral, secret, target } from './field-marks.js';
import { authorities, sourceUrl } from './http-source.js';

const machines = z.enum(['apps', 'deploy_keys', 'fine_grained_tokens']);

/** Configuration for the members or the machine identities of a GitHub organization. */
export const githubConfig = z.strictObject({
  url: target(
    sourceUrl
      .default('https://api.github.com')
      .describe('URL of the REST API; `https://<host>/api/v3` for GitHub Enterprise Server.'),
  ),
  ca: target(authorities.optional()),
  organization: target(
    text.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, { error: 'must be the name of an organization' }),
  ),
  auth: target(
    z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('token') }).describe('A personal access token in `secrets.token`.'),
        z
          .strictObject({
            type: z.literal('app'),
            app_id: text.regex(/^[A-Za-z0-9.]{1,64}$/, { error: 'must be the client ID or ID of an app' }),
            installation_id: text.regex(/^\d{1,20}$/, { error: 'must be the ID of an installation' }),
          })
          .describe('An installed GitHub App, with `secrets.private_key`.'),
      ])
      .default({ type: 'token' }),
  ),
  emails: neutral(
    z
      .enum(['profile', 'verified_domain', 'saml'])
      .default('profile')
      .describe(
        'The email address of a member: from the profile, from a verified domain of the organization, or the SAML NameID.',
      ),
  ),
  machines: neutral(
    z
      .array(machines)
      .min(1)
      .max(3)
      .refine((kinds) => new Set(kinds).size === kinds.length, { error: 'must not contain duplicates' })
      .default(['apps', 'deploy_keys'])
      .describe('The types of machine identities that are read. Only a GitHub App may read fine_grained_tokens.'),
  ),
  external_id: neutral(
    sourceName.optional().describe('Default: `databaseId` for members and `@id` for machine identities.'),
  ),
  fields: neutral(
    fieldMap
      .optional()
      .describe('Maps fields to paths of the GitHub response or to names that begin with @. Default: `githubFields`.'),
  ),
});
export type GithubConfig = z.infer<typeof githubConfig>;

const secrets = z.strictObject({
  token: secret(text.min(1).max(1024).optional()),
  private_key: secret(text.min(1).max(16_384).optional().describe('Private key of the app in PEM.')),
});

export const github = defineConnector({
  config: githubConfig,
  secrets,
  reportsChanges: 'never',
  // Finding one machine would need the lists of all repositories.
  readsOne: ['user', 'account'],
});

const member = {
  display_name: 'name',
  email: '@email',
  status: { value: 'active' },
  'attributes.login': 'login',
  'attributes.role': 'role',
  'attributes.two_factor': 'hasTwoFactorEnabled',
};

/** The default mapping. */
export const githubFields: Record<RecordKind, FieldMap> = {
  user: member,
  account: { identifier: 'login', ...member },
  machine_identity: {
    account_id: '@account',
    display_name: '@name',
    classification: '@classification',
    owned_by: '@owner',
    status: '@status',
    'attributes.type': '@type',
    'attributes.permissions': '@permissions',
    'attributes.privileged': '@privileged',
    'attributes.repository': 'repository.full_name',
    'attributes.secret_created_at': '@secret_created_at',
    'attributes.last_used_at': '@last_used_at',
  },
};
