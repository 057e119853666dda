import type { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { awsIam } from './aws-iam.js';
import type { ConnectorDefinition } from './connector-definition.js';
import { entra } from './entra.js';
import { changedTarget } from './field-marks.js';
import { csv, jsonl, ldif } from './files.js';
import { github } from './github.js';
import { google } from './google.js';
import { jumpcloud } from './jumpcloud.js';
import { kubernetes } from './kubernetes.js';
import { ldap } from './ldap.js';
import { okta } from './okta.js';
import { scim, scimPush } from './scim.js';
import { sql } from './sql.js';

/** All connector types. */
export const connectorDefinitions = {
  csv,
  ldif,
  jsonl,
  ldap,
  'aws-iam': awsIam,
  github,
  kubernetes,
  entra,
  okta,
  google,
  jumpcloud,
  scim,
  'scim-push': scimPush,
  sql,
} as const satisfies Record<string, ConnectorDefinition>;

export type ConnectorType = keyof typeof connectorDefinitions;
/** The configuration of a connector type. */
export type ConfigOf<Type extends ConnectorType> = z.output<(typeof connectorDefinitions)[Type]['config']>;
export const connectorTypes = Object.keys(connectorDefinitions) as ConnectorType[];

/** Returns the definition of a stored type; undefined if a newer version stored it. */
export function findDefinition(type: string): ConnectorDefinition | undefined {
  return (connectorDefinitions as Record<string, ConnectorDefinition>)[type];
}

/** Returns whether connectors of a type can read a single record. Does not require their secrets. */
export function canReadOne(type: ConnectorType, records: RecordKind): boolean {
  return findDefinition(type)?.readsOne.includes(records) ?? true;
}

/** Returns the first changed field by which stored secrets would be sent to another system or in another way. */
export function shownElsewhere(type: ConnectorType, before: object, after: object): string | undefined {
  return changedTarget(connectorDefinitions[type].config, before, after);
}
