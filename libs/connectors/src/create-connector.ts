import {
  type ConfigOf,
  type ConnectorType,
  checkSourcePath,
  type FilePlace,
  findDefinition,
  type RecordKind,
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
import { jumpcloudConnector } from './jumpcloud/jumpcloud-connector.js';
import { kubernetesConnector } from './kubernetes/kubernetes-connector.js';
import { ldapConnector } from './ldap/ldap-connector.js';
import { ldifConnector } from './ldif/ldif-connector.js';
import { oktaConnector } from './okta/okta-connector.js';
import { type FileSource, openSourceFile, type SourcesFolder } from './open-source-file.js';
import { scimConnector } from './scim/scim-connector.js';
import { type PushedUsers, scimPushConnector } from './scim-push/scim-push-connector.js';
import { guarded, guardedError } from './secrets/guarded.js';
import { sqlConnector } from './sql/sql-connector.js';

export interface ConnectorSettings extends SourcesFolder {
  type: ConnectorType;
  records: RecordKind;
  /** The stored configuration, which is validated again. */
  config: unknown;
  /** Decrypted secrets. */
  secrets?: Readonly<Record<string, string>>;
  /** Private networks that connectors may call. */
  allowedCidrs?: readonly string[];
  /** Pushed users, for connectors of type scim-push. */
  pushed?: PushedUsers;
}

/**
 * Creates a connector whose errors are redacted by `guarded`. Throws SourceError for an invalid configuration, without
 * opening or calling anything.
 */
export function createConnector(settings: ConnectorSettings): Connector {
  const secrets = Object.values(settings.secrets ?? {});
  try {
    return guarded(connectorOf(settings), secrets);
  } catch (error) {
    throw guardedError(error, secrets);
  }
}

function connectorOf({ config, secrets = {}, allowedCidrs = [], ...settings }: ConnectorSettings): Connector {
  const { type, records } = settings;
  const definition = findDefinition(type);
  if (!definition) throw new SourceError(`unknown connector type "${type}"`, 'misconfigured');
  const registry: { readonly [Type in ConnectorType]: Registration<ConnectorType> } = connectorRegistry;
  const { create, validatesSecrets } = registry[type];
  if (validatesSecrets) validate(definition.secrets, secrets, 'secrets');
  const valid = validate(definition.config, config) as ConfigOf<ConnectorType>;
  const connector = create(valid, { ...settings, secrets, allowedCidrs });
  return {
    ...connector,
    async describe(signal) {
      const { warnings = [], ...own } = (await connector.describe?.(signal)) ?? {};
      return {
        ...own,
        warnings: [...warnings, ...leftOutBySettings(type, valid, records), ...unseenDeletions(connector)],
      };
    },
  };
}

function validate(schema: z.ZodObject, given: unknown, what = 'config'): Record<string, unknown> {
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    throw new SourceError(`the connector's ${what} is invalid: ${z.prettifyError(parsed.error)}`, 'misconfigured');
  return parsed.data;
}

/** The access of a connector beside its configuration. */
type SourceAccess = Omit<ConnectorSettings, 'type' | 'config'> &
  Required<Pick<ConnectorSettings, 'secrets' | 'allowedCidrs'>>;

interface Registration<Type extends ConnectorType> {
  /** Throws SourceError for invalid settings, without opening or calling anything. */
  create(config: ConfigOf<Type>, access: SourceAccess): Connector;
  /** Returns sentences about the records that the settings leave out. LDAP and CSV examine the source instead. */
  leftOut?(config: ConfigOf<Type>, records: RecordKind): (string | false)[];
  /** Whether secrets are validated before `create`. Other factories report a missing secret by name. */
  validatesSecrets?: true;
}

/** The implementations of `connectorDefinitions`. */
const connectorRegistry: { readonly [Type in ConnectorType]: Registration<Type> } = {
  csv: { create: (config, access) => csvConnector(access.records, config, fileSource(config, access)) },
  ldif: {
    create: (config, access) => ldifConnector(access.records, config, fileSource(config, access)),
    leftOut: ({ object_class: objectClass }) => [
      objectClass !== undefined && `entries without the object class ${objectClass} are not read`,
    ],
  },
  jsonl: { create: (config, access) => jsonlConnector(access.records, config, fileSource(config, access)) },
  ldap: {
    create: (config, { records, secrets, allowedCidrs }) =>
      ldapConnector({ records, config, bindPassword: secrets.bind_password, allowedCidrs }),
    validatesSecrets: true,
  },
  'aws-iam': {
    create: (config, access) => awsIamConnector(config, access),
    leftOut: ({ users: given, roles, aws_roles: awsRoles }, records) => {
      const machines = records === 'machine_identity';
      const users = given ?? (machines ? 'without_password' : 'with_password');
      return [
        users === 'with_password' && 'users without a password are not read',
        users === 'without_password' && 'users with a password are not read',
        users === 'none' && 'users are not read, because users is none',
        machines && !roles && 'roles are not read, because roles is false',
        machines && roles && !awsRoles && 'roles that AWS created are not read, because aws_roles is false',
      ];
    },
    validatesSecrets: true,
  },
  github: {
    create: (config, access) => githubConnector(config, access),
    leftOut: ({ machines }, records) =>
      (['apps', 'deploy_keys', 'fine_grained_tokens'] as const).map(
        (kind) =>
          records === 'machine_identity' &&
          !machines.includes(kind) &&
          `${kind} are not read, because machines does not contain them`,
      ),
    validatesSecrets: true,
  },
  kubernetes: {
    create: (config, access) => kubernetesConnector(config, access),
    leftOut: ({ namespaces, label_selector: selector }) => [
      namespaces !== undefined && `service accounts outside the namespaces ${namespaces.join(', ')} are not read`,
      selector !== undefined && 'service accounts that do not match label_selector are not read',
    ],
    validatesSecrets: true,
  },
  entra: {
    create: (config, access) => entraConnector(access.records, config, access),
    leftOut: ({ user_types: types, microsoft_apps: apps }, records) => [
      ...(['member', 'guest'] as const).map(
        (type) =>
          records !== 'machine_identity' &&
          !types.includes(type) &&
          `users of type ${type} are not read, because user_types does not contain it`,
      ),
      records === 'machine_identity' &&
        !apps &&
        'service principals of Microsoft applications are not read, because microsoft_apps is false',
    ],
  },
  okta: {
    create: (config, access) => oktaConnector(access.records, config, access),
    leftOut: ({ deprovisioned }, records) => [
      records === 'machine_identity' && 'apps that only sign in users are not read',
      records !== 'machine_identity' &&
        !deprovisioned &&
        'deactivated users are not read, because deprovisioned is false',
    ],
  },
  google: {
    create: (config, access) => googleConnector(access.records, config, access),
    leftOut: ({ query, deleted }) => [
      query !== undefined && 'users that do not match query are not read',
      !deleted && 'deleted users are not read, because deleted is false',
    ],
  },
  jumpcloud: { create: (config, access) => jumpcloudConnector(access.records, config, access) },
  scim: {
    create: (config, access) => scimConnector(access.records, config, access),
    leftOut: ({ filter, resource }) => [filter !== undefined && `${resource} that do not match filter are not read`],
  },
  'scim-push': {
    create(config, { records, pushed }) {
      if (!pushed) throw new SourceError('pushed users are not available in this process', 'misconfigured');
      return scimPushConnector(records, config, pushed);
    },
  },
  sql: { create: (config, access) => sqlConnector(access.records, config, access) },
};

function fileSource(place: FilePlace, access: SourceAccess): FileSource {
  const { path } = place;
  if (path === undefined) return webFile(place, access);
  const refused = checkSourcePath(path);
  if (refused) throw new SourceError(refused, 'misconfigured');
  return { open: () => openSourceFile(access, path) };
}

/** Returns sentences about records that a connector never reads because of its type and settings. */
export function leftOutBySettings<Type extends ConnectorType>(
  type: Type,
  config: ConfigOf<Type>,
  records: RecordKind,
): string[] {
  const { leftOut }: Registration<Type> = connectorRegistry[type];
  const sentences = leftOut?.(config, records) ?? [];
  return sentences.filter((sentence) => sentence !== false);
}

/** Returns a sentence about deletions that incremental runs cannot detect. */
export function unseenDeletions({ reportsChanges, reportsEveryChange, reportsDeletions }: Connector): string[] {
  if (!reportsChanges || reportsEveryChange || reportsDeletions) return [];
  return ['incremental runs do not see every deleted record: only full runs detect all deletions'];
}
