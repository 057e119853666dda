import { entraConfig, entraSecrets } from './entra.js';
import { csvConfig, jsonlConfig, ldifConfig } from './files.js';
import { googleConfig, googleSecrets } from './google.js';
import { httpSecrets } from './http-source.js';
import { oktaConfig, oktaSecrets } from './okta.js';
import { scimConfig } from './scim.js';

/**
 * Every kind of source: what its connector is told, and what of that is secret. Secrets are sealed before they are stored, and
 * never shown again.
 */
export const connectorDefinitions = {
  csv: { config: csvConfig, secrets: httpSecrets },
  ldif: { config: ldifConfig, secrets: httpSecrets },
  jsonl: { config: jsonlConfig, secrets: httpSecrets },
  scim: { config: scimConfig, secrets: httpSecrets },
  entra: { config: entraConfig, secrets: entraSecrets },
  okta: { config: oktaConfig, secrets: oktaSecrets },
  google: { config: googleConfig, secrets: googleSecrets },
} as const;

export type ConnectorType = keyof typeof connectorDefinitions;
export const connectorTypes = Object.keys(connectorDefinitions) as ConnectorType[];
