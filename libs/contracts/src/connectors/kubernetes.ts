import { z } from 'zod';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, ownMapping } from './field-map.js';
import { flag, neutral, secret, target } from './field-marks.js';
import { authorities, sourceUrl } from './http-source.js';

const namespace = text.regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be the name of a namespace' });

/** Configuration for service accounts of a cluster (machine identities only). */
export const kubernetesConfig = z.strictObject({
  url: target(sourceUrl.describe('URL of the API server. Its address must be allowed if it is in a private network.')),
  ca: target(authorities.optional()),
  namespaces: neutral(
    z
      .array(namespace)
      .min(1)
      .max(200)
      .refine((names) => new Set(names).size === names.length, { error: 'must not name a namespace twice' })
      .optional()
      .describe('The namespaces to read; all by default, which requires cluster-wide permissions.'),
  ),
  label_selector: neutral(
    text.min(1).max(1024).optional().describe('Only service accounts that match this label selector are read.'),
  ),
  pods: flag(true, 'Whether the pods of each service account are counted (`@pods`).'),
  token_secrets: flag(
    false,
    'Whether the names of long-lived tokens are read (`@tokens`). Requires the permission to list secrets; values are never requested.',
  ),
  ...ownMapping(
    'metadata.uid',
    'Maps fields to paths of the ServiceAccount or to names that begin with @. Default: `kubernetesFields`.',
  ),
});
export type KubernetesConfig = z.infer<typeof kubernetesConfig>;

const secrets = z.strictObject({
  token: secret(
    text
      .min(1)
      .max(16_384)
      .describe('Bearer token of a service account with list permission for the resources that are read.'),
  ),
});

export const kubernetes = defineConnector({ config: kubernetesConfig, secrets, reportsChanges: 'never' });

export const kubernetesFields: FieldMap = {
  account_id: '@username',
  display_name: 'metadata.name',
  classification: { value: 'workload' },
  status: { value: 'active' },
  'attributes.namespace': 'metadata.namespace',
  'attributes.application': 'metadata.labels["app.kubernetes.io/name"]',
  'attributes.created_at': 'metadata.creationTimestamp',
  'attributes.used_by_pods': '@pods',
  'attributes.token_secrets': '@tokens[].name',
  'attributes.secret_created_at': '@secret_created_at',
};
