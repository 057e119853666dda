import type { GithubConfig } from '@idsync/contracts';
import type { ApiClient } from '../http/api-client.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { Listing } from '../listing/listing.js';
import { deployKeys } from './deploy-keys.js';
import { type LinkedList, linkedPage } from './linked-pages.js';

/** Lists the machine identities of an organization. */
export function machines(rest: ApiClient, { organization, machines: wanted }: GithubConfig): Listing[] {
  const organizationPath = `/orgs/${organization}`;
  const listings = {
    apps: listing('apps', rest, { path: `${organizationPath}/installations`, member: 'installations' }, asApp),
    deploy_keys: deployKeys(rest, organizationPath),
    fine_grained_tokens: listing(
      'fine_grained_tokens',
      rest,
      { path: `${organizationPath}/personal-access-tokens` },
      asToken,
    ),
  };
  return wanted.map((name) => listings[name]);
}

function listing(
  name: string,
  client: ApiClient,
  list: LinkedList,
  asDocument: (item: JsonObject) => JsonObject,
): Listing {
  return {
    name,
    async read(request) {
      const { items, ...rest } = await linkedPage(client, list, request);
      return { ...rest, documents: items.map((item) => (isObject(item) ? asDocument(item) : {})) };
    },
  };
}

function asApp(installation: JsonObject): JsonObject {
  const permissions = permissionsOf(valueAt(installation, 'permissions'));
  return {
    ...installation,
    ...identified('app', installation),
    '@account': valueAt(installation, 'app_slug'),
    '@name': valueAt(installation, 'app_slug'),
    '@classification': 'oauth_app',
    '@status': isPresent(valueAt(installation, 'suspended_at')) ? 'disabled' : 'active',
    '@permissions': permissions,
    '@privileged': permissions.some((one) => /^(organization_)?administration:write$/.test(one)),
  };
}

function asToken(token: JsonObject): JsonObject {
  const granted = valueAt(token, 'permissions');
  const kinds = ['organization', 'repository', 'other'].map((kind) => valueAt(granted, kind));
  const permissions = kinds.flatMap(permissionsOf);
  return {
    ...token,
    ...identified('token', token),
    '@account': valueAt(token, 'token_name') ?? valueAt(token, 'token_id'),
    '@name': valueAt(token, 'token_name') ?? valueAt(token, 'token_id'),
    '@classification': 'api_key',
    '@owner': valueAt(valueAt(token, 'owner'), 'login'),
    '@status': valueAt(token, 'token_expired') === true ? 'disabled' : 'active',
    '@permissions': permissions,
    '@privileged': permissions.some((one) => /administration:write$/.test(one)),
    '@secret_created_at': valueAt(token, 'access_granted_at'),
    '@last_used_at': valueAt(token, 'token_last_used_at'),
  };
}

function permissionsOf(permissions: unknown): string[] {
  return isObject(permissions) ? Object.entries(permissions).map(([name, level]) => `${name}:${level}`) : [];
}

/** Prefixes the id with the type, because ids are unique within a type only. */
function identified(type: string, item: JsonObject): JsonObject {
  const id = scalarText(valueAt(item, 'id'));
  return { '@type': type, ...(id !== undefined && { '@id': `${type}:${id}` }) };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
