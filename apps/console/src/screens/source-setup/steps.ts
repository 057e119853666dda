import { entryOf } from '../../components/words';
import type { ConnectorType } from '../../data/connector-types';
import type { SetupStep } from '../../data/searches';

export const stepNames: Record<SetupStep, string> = {
  type: 'Type',
  connection: 'Connection',
  test: 'Test',
  map: 'Fields',
  'dry-run': 'Dry run',
  schedule: 'Schedule',
};

/** An identity provider that pushes needs a token; there is nothing to test, and nothing is read before it pushes. */
export const pushedSteps: readonly SetupStep[] = ['type', 'connection'];

export function isPushed(type: string | undefined): boolean {
  return type === 'scim-push';
}

interface Described {
  title: string;
  about: string;
  group: 'Files' | 'Directories and databases' | 'Identity providers' | 'Machines and cloud';
}

const described: Record<string, Described> = {
  csv: { title: 'CSV file', about: 'An export of HR, from a folder or a URL', group: 'Files' },
  jsonl: { title: 'JSON Lines file', about: 'One JSON object on each line', group: 'Files' },
  ldif: { title: 'LDIF file', about: 'An export of an LDAP directory', group: 'Files' },
  ldap: {
    title: 'LDAP',
    about: 'Active Directory, OpenLDAP, 389 Directory Server',
    group: 'Directories and databases',
  },
  sql: {
    title: 'SQL database',
    about: 'A table, view or query of PostgreSQL or MySQL',
    group: 'Directories and databases',
  },
  entra: { title: 'Microsoft Entra ID', about: 'Users and service principals', group: 'Identity providers' },
  okta: { title: 'Okta', about: 'Users with their groups', group: 'Identity providers' },
  google: { title: 'Google Workspace', about: 'Users with their groups', group: 'Identity providers' },
  jumpcloud: { title: 'JumpCloud', about: 'Users of an organization', group: 'Identity providers' },
  scim: { title: 'SCIM service', about: 'idsync reads a SCIM 2.0 service', group: 'Identity providers' },
  'scim-push': { title: 'SCIM push', about: 'An identity provider sends its users', group: 'Identity providers' },
  github: { title: 'GitHub', about: 'Members, apps and deploy keys', group: 'Machines and cloud' },
  'aws-iam': { title: 'AWS IAM', about: 'Users, roles and access keys', group: 'Machines and cloud' },
  kubernetes: { title: 'Kubernetes', about: 'Service accounts', group: 'Machines and cloud' },
};

/** Name and purpose of a type. A type that this version does not know is shown by its name. */
export function describeType(type: string): Described {
  return entryOf(described, type) ?? { title: type, about: '', group: 'Machines and cloud' };
}

/** Settings that are shown at once: without them the source is not found. The others have defaults. */
const often = new Set(['path', 'url', 'auth', 'bind_dn', 'table', 'query', 'port', 'organization', 'namespaces']);

export function settingsOf({ config }: ConnectorType): { first: string[]; more: string[] } {
  const names = Object.keys(config.properties ?? {}).filter((name) => name !== 'external_id' && name !== 'fields');
  const isFirst = (name: string) =>
    config.required?.includes(name) ||
    name === 'auth' ||
    (often.has(name) && config.properties?.[name]?.default === undefined);
  return { first: names.filter(isFirst), more: names.filter((name) => !isFirst(name)) };
}

/** The secrets that the chosen authentication uses, as the description of its variant names them. */
export function secretsOf({ config, secrets }: ConnectorType, values: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(secrets.properties ?? {});
  const auth = config.properties?.auth;
  if (!auth?.oneOf) return names;
  const given = (values.auth ?? auth.default) as { type?: unknown } | undefined;
  const variant = auth.oneOf.find(({ properties }) => properties?.type?.const === given?.type);
  return names.filter((name) => variant?.description?.includes(`secrets.${name}`));
}
