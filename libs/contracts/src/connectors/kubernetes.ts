import { z } from 'zod';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { authorities, sourceUrl } from './http-source.js';

const namespace = text.regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be the name of a namespace' });

/** Service accounts of a cluster: machine identities only. */
export const kubernetesConfig = z.strictObject({
  url: sourceUrl.describe('Of the API server. One in a private network has to be allowed by its address.'),
  ca: authorities.optional(),
  namespaces: z
    .array(namespace)
    .min(1)
    .max(200)
    .refine((names) => new Set(names).size === names.length, { error: 'must not name a namespace twice' })
    .optional()
    .describe('Only these; all of them if absent, which takes rights in the whole cluster.'),
  label_selector: text.min(1).max(1024).optional().describe('Only service accounts with these labels.'),
  pods: z.boolean().default(true).describe('Count the pods that run as each: `@pods`.'),
  token_secrets: z
    .boolean()
    .default(false)
    .describe(
      'Name the long-lived tokens of each: `@tokens`. Takes the right to list secrets; no value is ever asked for.',
    ),
  external_id: sourceName.default('metadata.uid'),
  fields: fieldMap
    .optional()
    .describe('Paths of the ServiceAccount, or what begins with @; `kubernetesFields` if absent.'),
});
export type KubernetesConfig = z.infer<typeof kubernetesConfig>;

export const kubernetesSecrets = z.strictObject({
  token: text.min(1).max(16_384).describe('A bearer token of a service account that may list what is read.'),
});

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
