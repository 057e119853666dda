import {
  awsIamConfig,
  awsIamSecrets,
  type ConnectorType,
  csvConfig,
  entraConfig,
  type FilePlace,
  githubConfig,
  githubSecrets,
  googleConfig,
  jsonlConfig,
  kubernetesConfig,
  kubernetesSecrets,
  ldapConfig,
  ldapSecrets,
  ldifConfig,
  oktaConfig,
  type RecordKind,
  scimConfig,
  scimPushConfig,
  sqlConfig,
} from '@idsync/contracts';
import { z } from 'zod';
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
import { type FileSource, openSourceFile } from './open-source-file.js';
import { scimConnector } from './scim/scim-connector.js';
import { type PushedUsers, scimPushConnector } from './scim-push/scim-push-connector.js';
import { checkSourcePath } from './source-path.js';
import { sqlConnector } from './sql/sql-connector.js';

export interface ConnectorSettings {
  type: ConnectorType;
  records: RecordKind;
  /** As it was stored; read again here, for it may be older than this code. */
  config: unknown;
  /** Opened. */
  secrets?: Readonly<Record<string, string>>;
  /** The folder that all paths are relative to. */
  sourcesDir: string;
  /** Private networks that sources may be in. */
  allowedCidrs?: readonly string[];
  /** What was pushed to the connector, for the type that is pushed to. */
  pushed?: PushedUsers;
}

/** Throws SourceError if the configuration can never be read; nothing is opened or called yet. */
export function createConnector(settings: ConnectorSettings): Connector {
  const { type, records, config, secrets = {}, allowedCidrs = [] } = settings;
  switch (type) {
    case 'csv': {
      const valid = validate(csvConfig, config);
      return csvConnector(records, valid, fileSource(valid, settings));
    }
    case 'ldif': {
      const valid = validate(ldifConfig, config);
      return ldifConnector(records, valid, fileSource(valid, settings));
    }
    case 'jsonl': {
      const valid = validate(jsonlConfig, config);
      return jsonlConnector(records, valid, fileSource(valid, settings));
    }
    case 'aws-iam': {
      const opened = validate(awsIamSecrets, secrets, 'secrets');
      return awsIamConnector(validate(awsIamConfig, config), { records, secrets: opened, allowedCidrs });
    }
    case 'github': {
      const opened = validate(githubSecrets, secrets, 'secrets');
      return githubConnector(validate(githubConfig, config), { records, secrets: opened, allowedCidrs });
    }
    case 'kubernetes': {
      const opened = validate(kubernetesSecrets, secrets, 'secrets');
      return kubernetesConnector(validate(kubernetesConfig, config), { records, secrets: opened, allowedCidrs });
    }
    case 'ldap': {
      const valid = validate(ldapConfig, config);
      const { bind_password } = validate(ldapSecrets, secrets, 'secrets');
      return ldapConnector({ records, config: valid, bindPassword: bind_password, allowedCidrs });
    }
    case 'entra':
      return entraConnector(records, validate(entraConfig, config), { secrets, allowedCidrs });
    case 'okta':
      return oktaConnector(records, validate(oktaConfig, config), { secrets, allowedCidrs });
    case 'google':
      return googleConnector(records, validate(googleConfig, config), { secrets, allowedCidrs });
    case 'scim':
      return scimConnector(records, validate(scimConfig, config), { secrets, allowedCidrs });
    case 'scim-push': {
      if (!settings.pushed) throw new SourceError('what was pushed cannot be read here');
      return scimPushConnector(records, validate(scimPushConfig, config), settings.pushed);
    }
    case 'sql':
      return sqlConnector(records, validate(sqlConfig, config), settings);
    default:
      throw new SourceError(`connectors of type "${String(type)}" are unknown`);
  }
}

function validate<Valid>(schema: z.ZodType<Valid>, given: unknown, what = 'config'): Valid {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new SourceError(`the connector's ${what} is invalid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function fileSource(place: FilePlace, { sourcesDir, secrets = {}, allowedCidrs = [] }: ConnectorSettings): FileSource {
  const { path } = place;
  if (path === undefined) return webFile(place, { secrets, allowedCidrs });
  const refused = checkSourcePath(path);
  if (refused) throw new SourceError(refused);
  return { open: () => openSourceFile(sourcesDir, path) };
}
