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

export type ConnectorType = keyof typeof connectorDefinitions;
export const connectorTypes = Object.keys(connectorDefinitions) as ConnectorType[];
