import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { authorities, sourceUrl } from './http-source.js';

const machines = z.enum(['apps', 'deploy_keys', 'fine_grained_tokens']);

/** An organization of GitHub: its members, or, as machine identities, what acts in it without a person. */
export const githubConfig = z.strictObject({
  url: sourceUrl.default('https://api.github.com').describe('Of a server of your own: `https://<host>/api/v3`.'),
  ca: authorities.optional(),
  organization: text.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, { error: 'must be the name of an organization' }),
  auth: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('token') }).describe('`secrets.token`, a personal access token.'),
      z
        .strictObject({
          type: z.literal('app'),
          app_id: text.regex(/^[A-Za-z0-9.]{1,64}$/, { error: 'must be the client ID or ID of an app' }),
          installation_id: text.regex(/^\d{1,20}$/, { error: 'must be the ID of an installation' }),
        })
        .describe('An installed GitHub App, with `secrets.private_key`.'),
    ])
    .default({ type: 'token' }),
  emails: z
    .enum(['profile', 'verified_domain', 'saml'])
    .default('profile')
    .describe(
      "Which address a member is known by: the one of their profile, one of the organization's domains, or the name that its SAML provider gives.",
    ),
  machines: z
    .array(machines)
    .min(1)
    .max(3)
    .refine((kinds) => new Set(kinds).size === kinds.length, { error: 'must not name one twice' })
    .default(['apps', 'deploy_keys'])
    .describe('What is read as machine identities. Only a GitHub App may read fine_grained_tokens.'),
  external_id: sourceName.optional().describe('`databaseId` of a member, `@id` of a machine, if absent.'),
  fields: fieldMap
    .optional()
    .describe('Paths of what GitHub answers, or what begins with @; `githubFields` if absent.'),
});
export type GithubConfig = z.infer<typeof githubConfig>;

export const githubSecrets = z.strictObject({
  token: text.min(1).max(1024).optional(),
  private_key: text.min(1).max(16_384).optional().describe('Of the app, in PEM.'),
});

const member = {
  display_name: 'name',
  email: '@email',
  status: { value: 'active' },
  'attributes.login': 'login',
  'attributes.role': 'role',
  'attributes.two_factor': 'hasTwoFactorEnabled',
};

/** Where our fields come from if a mapping is not given. */
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
