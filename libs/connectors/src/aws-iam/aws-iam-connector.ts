import { type AwsIamConfig, awsIamFields, type machineClassifications } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { secretOf } from '../http/api-source.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import { type ChunkRequest, type Listing, type ListingAccess, listingConnector } from '../listing/listing-connector.js';
import { type Credentials, credentialReport, liveCredentials } from './credential-report.js';
import { type About, type CallIam, iamClient, iamPage } from './iam-client.js';

const defaultPollMs = 2_000;

/** Creates a connector for users and roles of an AWS account. `pollMs` is for tests. */
export function awsIamConnector(config: AwsIamConfig, access: ListingAccess, pollMs = defaultPollMs): Connector {
  const isMachines = access.records === 'machine_identity';
  const { users = isMachines ? 'without_password' : 'with_password', external_id: externalId } = config;
  const withRoles = isMachines && config.roles;
  if (users === 'none' && !withRoles) throw new SourceError('users or roles must be selected', 'misconfigured');
  const credentials = {
    accessKeyId: secretOf(access, 'access_key_id'),
    secretAccessKey: secretOf(access, 'secret_access_key'),
    sessionToken: access.secrets.session_token,
  };
  return listingConnector({
    access,
    mapping: { externalId, fields: config.fields ?? awsIamFields[access.records] },
    listings: (transport) => {
      const call = iamClient(transport, config, credentials);
      return [
        ...(users === 'none' ? [] : [iamUsers(call, users, pollMs)]),
        ...(withRoles ? [iamRoles(call, config.aws_roles)] : []),
      ];
    },
  });
}

const maxItems = 100;
const details = 'GetAccountAuthorizationDetails';

/** Lists the users of an account: all, or only those with or without a password. */
function iamUsers(call: CallIam, wanted: 'all' | 'with_password' | 'without_password', pollMs: number): Listing {
  let report: Map<string, Credentials> | undefined;
  return {
    name: 'users',
    async read(request: ChunkRequest) {
      const { at, signal, budget } = request;
      const about = { signal, budget };
      report ??= await credentialReport(call, about, pollMs);
      const before = at ? Number(at.least) : await countUsers(call, about);
      const { items, marker, seen, from } = await detailsOf(call, 'User', request);
      if (marker === undefined) {
        // Users created or deleted during the read are in only one of the two counts.
        const least = Math.min(before, await countUsers(call, about));
        if (seen < least) {
          throw new SourceError(`${from} returned ${seen} of ${least} users, so the list is incomplete`);
        }
      }
      const documents: JsonObject[] = [];
      for (const item of items) {
        const user = isObject(item) ? await userDocument(call, item, report, about) : {};
        if (user && isWanted(user, wanted)) documents.push(user);
      }
      return {
        documents,
        ...(marker !== undefined && { next: { marker, seen, least: before } }),
        fraction: before === 0 ? 1 : seen / before,
        from,
      };
    },
  };
}

async function detailsOf(call: CallIam, kind: 'User' | 'Role', { at, limit, signal, budget }: ChunkRequest) {
  const parameters = {
    'Filter.member.1': kind,
    MaxItems: String(Math.min(limit, maxItems)),
    Marker: at && String(at.marker),
  };
  const result = await call(details, parameters, { signal, budget });
  const { items, marker } = iamPage(details, result, `${kind}DetailList`);
  return { items, marker, seen: (at?.seen ?? 0) + items.length, from: `${details} of IAM` };
}

async function countUsers(call: CallIam, about: About): Promise<number> {
  const { SummaryMap: map } = await call('GetAccountSummary', {}, about);
  const users = Number(scalarText(valueAt(map, 'Users')) ?? Number.NaN);
  if (!Number.isSafeInteger(users)) throw new SourceError('GetAccountSummary of IAM answered without Users');
  return users;
}

/** Returns whether a user is selected. An invalid user is selected, so that it becomes a record error. */
function isWanted(user: JsonObject, wanted: string): boolean {
  const credentials = valueAt(user, 'credentials');
  if (wanted === 'all' || credentials === undefined) return true;
  return valueAt(credentials, 'password_enabled') === (wanted === 'with_password');
}

/** Reads a user; undefined if it was deleted after the list was read. */
async function userDocument(
  call: CallIam,
  user: JsonObject,
  report: Map<string, Credentials>,
  about: About,
): Promise<JsonObject | undefined> {
  const id = scalarText(valueAt(user, 'UserId'));
  const name = scalarText(valueAt(user, 'UserName'));
  if (id === undefined || name === undefined) return {};
  const reported = report.get(scalarText(valueAt(user, 'Arn')) ?? '');
  const credentials = reported ?? (await liveCredentials(call, name, about));
  if (!credentials) return undefined;
  const active = credentials.access_keys.filter((key) => key.active);
  const used = [credentials.password_last_used, ...credentials.access_keys.map((key) => key.last_used)];
  return {
    ...user,
    credentials,
    '@id': id,
    '@type': 'user',
    '@name': name,
    '@classification': 'service_account',
    '@status': credentials.password_enabled || active.length > 0 ? 'active' : 'disabled',
    '@privileged': isAdministrator(user),
    '@secret_created_at': earliest(active.map((key) => key.created)),
    '@last_used_at': earliest(used, -1),
  };
}

/** Returns the earliest of ISO 8601 dates, or the latest if `order` is -1. */
function earliest(dates: readonly (string | undefined)[], order = 1): string | undefined {
  const known = dates.filter((date) => date !== undefined);
  return known.sort((a, b) => order * (Date.parse(a) - Date.parse(b)))[0];
}

const madeByAws = /^\/(aws-service-role|aws-reserved)\//;
const administrator = /^arn:[a-z-]+:iam::aws:policy\/(AdministratorAccess|IAMFullAccess)$/;

/** Lists the roles of an account. Unlike ListRoles, this action includes the last use and the tags. */
function iamRoles(call: CallIam, withAwsRoles: boolean): Listing {
  return {
    name: 'roles',
    async read(request: ChunkRequest) {
      const { items, marker, seen, from } = await detailsOf(call, 'Role', request);
      const roles = items.map((item) => (isObject(item) ? roleDocument(item) : {}));
      return {
        documents: withAwsRoles
          ? roles
          : roles.filter((role) => !madeByAws.test(scalarText(valueAt(role, 'Path')) ?? '')),
        ...(marker !== undefined && { next: { marker, seen } }),
        from,
      };
    },
  };
}

function roleDocument(role: JsonObject): JsonObject {
  const policy = decoded(valueAt(role, 'AssumeRolePolicyDocument'));
  const principals = principalsOf(policy);
  return {
    ...role,
    AssumeRolePolicyDocument: policy,
    '@id': valueAt(role, 'RoleId'),
    '@type': 'role',
    '@name': valueAt(role, 'RoleName'),
    '@classification': classifyPrincipals(principals),
    '@status': 'active',
    '@privileged': isAdministrator(role),
    '@trusted_by': principals.map(({ kind, name }) => `${kind}:${name}`),
    '@last_used_at': valueAt(valueAt(role, 'RoleLastUsed'), 'LastUsedDate'),
  };
}

/** Returns whether an AWS administrator policy is attached directly. Policies of groups are ignored. */
function isAdministrator(entity: JsonObject): boolean {
  const policies = valueAt(entity, 'AttachedManagedPolicies');
  return (
    Array.isArray(policies) &&
    policies.some((policy) => administrator.test(scalarText(valueAt(policy, 'PolicyArn')) ?? ''))
  );
}

/** Decodes a policy, which is URL-encoded JSON in XML. */
function decoded(document: unknown): unknown {
  try {
    return JSON.parse(decodeURIComponent(String(document)));
  } catch {
    // An unreadable policy yields no principals, but the role is still read.
    return undefined;
  }
}

type Classification = (typeof machineClassifications)[number];

/** A principal that a role trusts: `Service`, `Federated` or `AWS`, and its name. */
interface Principal {
  kind: string;
  name: string;
}

const pipelines =
  /^(codebuild|codepipeline|codedeploy|imagebuilder)\.|(token\.actions\.githubusercontent\.com|gitlab|app\.terraform\.io|oidc\.circleci\.com|api\.bitbucket\.org|agent\.buildkite\.com|vstoken\.dev\.azure\.com)/;
const agents = /^(bedrock|bedrock-agentcore|qbusiness|q\.apps)\./;

/** Returns the principals that may assume a role, in the order of its trust policy. */
function principalsOf(policy: unknown): Principal[] {
  const found = new Map<string, Principal>();
  for (const statement of asList(valueAt(policy, 'Statement'))) {
    if (valueAt(statement, 'Effect') !== 'Allow') continue;
    const principal = valueAt(statement, 'Principal');
    const named = isObject(principal) ? Object.entries(principal) : [['AWS', principal] as const];
    for (const [kind, names] of named) {
      for (const name of asList(names).flatMap((one) => scalarText(one) ?? []))
        found.set(`${kind}:${name}`, { kind, name });
    }
  }
  return [...found.values()];
}

/** Classifies a role by its principals and returns the most specific class. SAML users do not count. */
function classifyPrincipals(principals: readonly Principal[]): Classification {
  const all = new Set(principals.map(classify));
  const order: Classification[] = ['ci_cd', 'ai_agent', 'workload', 'service_account'];
  return order.find((one) => all.has(one)) ?? 'unknown';
}

function classify({ kind, name }: Principal): Classification {
  if (kind === 'Service') {
    if (pipelines.test(name)) return 'ci_cd';
    return agents.test(name) ? 'ai_agent' : 'workload';
  }
  if (kind === 'Federated') {
    if (!name.includes(':oidc-provider/')) return 'unknown';
    return pipelines.test(name) ? 'ci_cd' : 'workload';
  }
  return kind === 'AWS' ? 'service_account' : 'unknown';
}

function asList(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
