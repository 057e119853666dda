import {
  type ConnectorType,
  checkSourcePath,
  type connectorDefinitions,
  type FilePlace,
  type RecordKind,
} from '@idsync/contracts';
import type { z } from 'zod';
import { awsIamConnector } from './aws-iam/aws-iam-connector.js';
import { type Connector, SourceError } from './connector.js';
import { csvConnector } from './csv/csv-connector.js';
import { webFile } from './download/web-file.js';
import { entraConnector } from './entra/entra-connector.js';
import { githubConnector } from './github/github-connector.js';
import { googleConnector } from './google/google-connector.js';
import { jsonlConnector } from './jsonl/jsonl-connector.js';
import { kubernetesConnector } from './kubernetes/kubernetes-connector.js';
import { ldapConnector } from './ldap/ldap-connector.js';
import { ldifConnector } from './ldif/ldif-connector.js';
import { oktaConnector } from './okta/okta-connector.js';
import { type FileSource, openSourceFile, type SourcesFolder } from './open-source-file.js';
import { scimConnector } from './scim/scim-connector.js';
import { type PushedUsers, scimPushConnector } from './scim-push/scim-push-connector.js';
import { sqlConnector } from './sql/sql-connector.js';

/** The access of a connector beside its configuration. */
interface SourceAccess extends SourcesFolder {
  records: RecordKind;
  secrets: Readonly<Record<string, string>>;
  /** Private networks that connectors may call. */
  allowedCidrs: readonly string[];
  /** Pushed users, for connectors of type scim-push. */
  pushed?: PushedUsers;
}

export type ConfigOf<Type extends ConnectorType> = z.output<(typeof connectorDefinitions)[Type]['config']>;

export interface Registration<Type extends ConnectorType> {
  /** Throws SourceError for invalid settings, without opening or calling anything. */
  create(config: ConfigOf<Type>, access: SourceAccess): Connector;
  /** The file in `docs/connectors` that documents the set-up and the errors. */
  docs: string;
  /** Whether secrets are validated before `create`. Other factories report a missing secret by name. */
  validatesSecrets?: true;
}

/** The implementations of `connectorDefinitions`. */
export const connectorRegistry: { readonly [Type in ConnectorType]: Registration<Type> } = {
  csv: {
    create: (config, access) => csvConnector(access.records, config, fileSource(config, access)),
    docs: 'files.md',
  },
  ldif: {
    create: (config, access) => ldifConnector(access.records, config, fileSource(config, access)),
    docs: 'files.md',
  },
  jsonl: {
    create: (config, access) => jsonlConnector(access.records, config, fileSource(config, access)),
    docs: 'files.md',
  },
  ldap: {
    create: (config, { records, secrets, allowedCidrs }) =>
      ldapConnector({ records, config, bindPassword: secrets.bind_password, allowedCidrs }),
    docs: 'ldap.md',
    validatesSecrets: true,
  },
  'aws-iam': {
    create: (config, access) => awsIamConnector(config, access),
    docs: 'aws-iam.md',
    validatesSecrets: true,
  },
  github: { create: (config, access) => githubConnector(config, access), docs: 'github.md', validatesSecrets: true },
  kubernetes: {
    create: (config, access) => kubernetesConnector(config, access),
    docs: 'kubernetes.md',
    validatesSecrets: true,
  },
  entra: { create: (config, access) => entraConnector(access.records, config, access), docs: 'entra.md' },
  okta: { create: (config, access) => oktaConnector(access.records, config, access), docs: 'okta.md' },
  google: { create: (config, access) => googleConnector(access.records, config, access), docs: 'google.md' },
  scim: { create: (config, access) => scimConnector(access.records, config, access), docs: 'scim.md' },
  'scim-push': {
    create(config, { records, pushed }) {
      if (!pushed) throw new SourceError('pushed users are not available in this process', 'misconfigured');
      return scimPushConnector(records, config, pushed);
    },
    docs: 'scim-push.md',
  },
  sql: { create: (config, access) => sqlConnector(access.records, config, access), docs: 'sql.md' },
};

function fileSource(place: FilePlace, access: SourceAccess): FileSource {
  const { path } = place;
  if (path === undefined) return webFile(place, access);
  const refused = checkSourcePath(path);
  if (refused) throw new SourceError(refused, 'misconfigured');
  const { sourcesDir, tenantFolder } = access;
  return { open: () => openSourceFile({ sourcesDir, tenantFolder }, path) };
}
