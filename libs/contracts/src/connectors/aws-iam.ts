import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, ownMapping } from './field-map.js';
import { flag, neutral, secret, target } from './field-marks.js';
import { sourceUrl } from './http-source.js';

/** Configuration for users and roles of one AWS account. */
export const awsIamConfig = z.strictObject({
  url: target(
    sourceUrl
      .default('https://iam.amazonaws.com')
      .describe('URL of IAM. For another partition, set it together with `region`.'),
  ),
  region: target(
    text
      .regex(/^[a-z0-9-]{1,32}$/, { error: 'must be the name of a region' })
      .default('us-east-1')
      .describe('The region for which requests are signed.'),
  ),
  users: neutral(
    z
      .enum(['all', 'with_password', 'without_password', 'none'])
      .optional()
      .describe(
        'Which users are read. By default users with a password as people and accounts, and users without one as machine identities.',
      ),
  ),
  roles: flag(true, 'Whether roles are read as machine identities.'),
  aws_roles: flag(false, 'Whether roles created by AWS are read: service-linked roles and roles of Identity Center.'),
  ...ownMapping(
    '@id',
    'Maps fields to paths of the IAM response or to names that begin with @. Default: `awsIamFields`.',
  ),
});
export type AwsIamConfig = z.infer<typeof awsIamConfig>;

const secrets = z.strictObject({
  access_key_id: secret(text.regex(/^[A-Z0-9]{16,128}$/, { error: 'must be an access key ID' })),
  secret_access_key: secret(text.min(1).max(256)),
  session_token: secret(text.min(1).max(16_384).optional()),
});

export const awsIam = defineConnector({ config: awsIamConfig, secrets, reportsChanges: 'never' });

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

/** The default mapping. */
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
