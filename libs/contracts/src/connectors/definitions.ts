import { awsIamConfig, awsIamSecrets } from './aws-iam.js';
import { entraConfig, entraSecrets } from './entra.js';
import { csvConfig, jsonlConfig, ldifConfig } from './files.js';
import { githubConfig, githubSecrets } from './github.js';
import { googleConfig, googleSecrets } from './google.js';
import { httpSecrets } from './http-source.js';
import { kubernetesConfig, kubernetesSecrets } from './kubernetes.js';
import { ldapConfig, ldapSecrets } from './ldap.js';
import { oktaConfig, oktaSecrets } from './okta.js';
import { scimConfig } from './scim.js';
import { scimPushConfig, scimPushSecrets } from './scim-push.js';
import { sqlConfig, sqlSecrets } from './sql.js';

/**
 * Every kind of source: what its connector is told, and what of that is secret. Secrets are sealed before they are stored, and
 * never shown again.
 */
export const connectorDefinitions = {
  csv: { config: csvConfig, secrets: httpSecrets },
  ldif: { config: ldifConfig, secrets: httpSecrets },
  jsonl: { config: jsonlConfig, secrets: httpSecrets },
  ldap: { config: ldapConfig, secrets: ldapSecrets },
  'aws-iam': { config: awsIamConfig, secrets: awsIamSecrets },
  github: { config: githubConfig, secrets: githubSecrets },
  kubernetes: { config: kubernetesConfig, secrets: kubernetesSecrets },
  entra: { config: entraConfig, secrets: entraSecrets },
  okta: { config: oktaConfig, secrets: oktaSecrets },
  google: { config: googleConfig, secrets: googleSecrets },
  scim: { config: scimConfig, secrets: httpSecrets },
  'scim-push': { config: scimPushConfig, secrets: scimPushSecrets },
  sql: { config: sqlConfig, secrets: sqlSecrets },
} as const;

/**
 * What of a `config` says what is read and how it is understood. All else says to whom a secret is shown, and how: a stored one
 * is not carried along to where it was not given for.
 */
const readingKeys: ReadonlySet<string> = new Set([
  ...['external_id', 'fields', 'delimiter', 'list_separator', 'object_class', 'base_dn', 'scope', 'filter', 'anchor'],
  ...[
    'groups',
    'deleted_objects',
    'overlap_seconds',
    'users',
    'roles',
    'aws_roles',
    'emails',
    'machines',
    'namespaces',
  ],
  ...['label_selector', 'pods', 'token_secrets', 'user_types', 'microsoft_apps', 'deprovisioned', 'customer', 'query'],
  ...['deleted', 'resource', 'changes', 'schema', 'table', 'key', 'changed_at', 'deleted_values', 'timeout_seconds'],
]);

/** The first field by which a connector's secrets would be shown to somebody else, or otherwise than before. */
export function shownElsewhere(before: object, after: object): string | undefined {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...was.keys(), ...is.keys()])].find(
    (name) => !readingKeys.has(name) && JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name)),
  );
}

export type ConnectorType = keyof typeof connectorDefinitions;
export const connectorTypes = Object.keys(connectorDefinitions) as ConnectorType[];
