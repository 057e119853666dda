import { z } from 'zod';
import { csvConfig, ldifConfig } from './files.js';
import { httpSecrets } from './http-source.js';
import { scimConfig } from './scim.js';

const none = z.strictObject({});

/**
 * Every kind of source: what its connector is told, and what of that is secret. Secrets are sealed before they are stored, and
 * never shown again.
 */
export const connectorDefinitions = {
  csv: { config: csvConfig, secrets: none },
  ldif: { config: ldifConfig, secrets: none },
  scim: { config: scimConfig, secrets: httpSecrets },
} as const;

export type ConnectorType = keyof typeof connectorDefinitions;
export const connectorTypes = Object.keys(connectorDefinitions) as ConnectorType[];
