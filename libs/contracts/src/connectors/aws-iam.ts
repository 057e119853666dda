import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { sourceUrl } from './http-source.js';

/** Users and roles of one AWS account. */
export const awsIamConfig = z.strictObject({
  url: sourceUrl
    .default('https://iam.amazonaws.com')
    .describe('Of IAM in another partition, together with its region.'),
  region: text
    .regex(/^[a-z0-9-]{1,32}$/, { error: 'must be the name of a region' })
    .default('us-east-1')
    .describe('That requests are signed for.'),
  users: z
    .enum(['all', 'with_password', 'without_password', 'none'])
    .optional()
    .describe('If absent: with a password as people and accounts, without one as machine identities.'),
  roles: z.boolean().default(true).describe('Among machine identities.'),
  aws_roles: z
    .boolean()
    .default(false)
    .describe('Also the roles that AWS made: service-linked ones, and those of Identity Center.'),
  external_id: sourceName.default('@id'),
  fields: fieldMap.optional().describe('Paths of what IAM answers, or what begins with @; `awsIamFields` if absent.'),
});
export type AwsIamConfig = z.infer<typeof awsIamConfig>;

export const awsIamSecrets = z.strictObject({
  access_key_id: text.regex(/^[A-Z0-9]{16,128}$/, { error: 'must be an access key ID' }),
  secret_access_key: text.min(1).max(256),
  session_token: text.min(1).max(16_384).optional(),
});

const person = {
  display_name: 'UserName',
  email: 'Tags[Key=email].Value',
  status: '@status',
  'attributes.arn': 'Arn',
  'attributes.groups': 'GroupList',
  'attributes.mfa': 'credentials.mfa_active',
  'attributes.privileged': '@privileged',
  'attributes.last_used_at': '@last_used_at',
};

/** Where our fields come from if a mapping is not given. */
export const awsIamFields: Record<RecordKind, FieldMap> = {
  user: person,
  account: { identifier: 'UserName', ...person },
  machine_identity: {
    account_id: 'Arn',
    display_name: '@name',
    classification: '@classification',
    owned_by: 'Tags[Key=owner].Value',
    status: '@status',
    'attributes.type': '@type',
    'attributes.groups': 'GroupList',
    'attributes.trusted_by': '@trusted_by',
    'attributes.policies': 'AttachedManagedPolicies[].PolicyName',
    'attributes.privileged': '@privileged',
    'attributes.created_at': 'CreateDate',
    'attributes.secret_created_at': '@secret_created_at',
    'attributes.last_used_at': '@last_used_at',
  },
};
