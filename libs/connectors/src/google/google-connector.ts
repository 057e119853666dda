import { type GoogleConfig, googleFields, type RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { mapConcurrently } from '../answer-of.js';
import {
  CheckpointExpired,
  type Connector,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { foundIn } from '../find-by-full-read.js';
import { type ApiAnswer, ApiClient, type PageRequests, type Refusal, withoutEndSlashes } from '../http/api-client.js';
import {
  type ApiAccess,
  apiConnector,
  getOne,
  mapItems,
  parseCursor,
  secretOf,
  withRelated,
} from '../http/api-source.js';
import { oauthToken, signedJwt, signingKey } from '../http/authenticate.js';
import type { Authentication } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { type ListAnswer, listIn, listPlace, readList } from '../http/paging.js';
import { groupsIn } from '../json/groups-in.js';
import { jsonReader } from '../json/json-path.js';
import { isObject, scalarText, valueAt } from '../json/json-value.js';
import type { Mapping, Values } from '../map-record.js';
import { sourceNames } from '../transform.js';

const groups = '@groups';
const status = '@status';
const discovered = 20;

/**
 * Creates a connector for users of Google Workspace. Every read is a full read, because the API does not report
 * changes.
 */
export function googleConnector(records: RecordKind, config: GoogleConfig, access: ApiAccess): Connector {
  if (records === 'machine_identity') {
    throw new SourceError(
      'machine identities are not supported: service accounts belong to Google Cloud projects, not to the Directory API',
      'misconfigured',
    );
  }
  const fields = config.fields ?? googleFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const needsGroups = names.includes(groups);
  const valuesOf = jsonReader(names.filter((name) => name !== groups && name !== status));
  const statusOf = records === 'user' ? statusOfPerson : statusOfAccount;

  async function* read(client: ApiClient, { since, cursor, pageSize, signal }: ReadOptions): AsyncGenerator<Page> {
    if (since) throw new CheckpointExpired('the Directory API does not report changes');
    const left = cursor && parseCursor(listPlace, cursor);
    const ask = (next: string) => askUsers(client.page(signal), config, next);
    for await (const { items, place, last } of readList(ask, { pageSize, signal }, left)) {
      yield { ...(await mapped(items, place.seen - items.length + 1, client, signal)), cursor: place, last };
    }
  }

  async function mapped(items: readonly unknown[], line: number, client: ApiClient, signal: AbortSignal) {
    const lists = needsGroups ? await groupsOfEach(client.page(signal), items) : [];
    const related = items.map(
      (item, index) =>
        new Map([
          [groups, lists[index] ?? []],
          [status, [statusOf(item)]],
        ]),
    );
    return mapItems(items, line, mapping, withRelated(valuesOf, items, related));
  }

  async function requestOne(client: ApiClient, externalId: string, signal: AbortSignal): Promise<FoundRecord> {
    const user = await askUser(client.page(signal), config, externalId);
    // The endpoint also accepts user addresses, which are not ids.
    return foundIn(await mapped(user === undefined ? [] : [user], 0, client, signal), externalId);
  }

  // Only the list evaluates the query, the deleted users and the customer.
  const knownById =
    config.external_id === 'id' && config.query === undefined && config.customer === 'my_customer' && !config.deleted;
  return apiConnector({
    access,
    reportsChanges: false,
    connect: (transport) => googleClient(transport, config, needsGroups, access),
    read,
    requestOne: knownById && requestOne,
    async discover(client, signal) {
      const { items } = await askUsers(client.page(signal), config, 'there:');
      const own = jsonFields(items.slice(0, discovered));
      return [...own, { name: status, examples: [] }, { name: groups, examples: [] }];
    },
  });
}

function statusOfPerson(user: unknown): string {
  if (isDeleted(user)) return 'deleted';
  if (valueAt(user, 'archived') === true) return 'inactive';
  return valueAt(user, 'suspended') === true ? 'suspended' : 'active';
}

function statusOfAccount(user: unknown): string {
  const person = statusOfPerson(user);
  return person === 'active' || person === 'deleted' ? person : 'disabled';
}

const secretName = 'service_account_key';
const scopes = {
  users: 'https://www.googleapis.com/auth/admin.directory.user.readonly',
  groups: 'https://www.googleapis.com/auth/admin.directory.group.readonly',
};
const keyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});
/** Reasons of a transient 403. */
const throttled = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'backendError']);

/** Creates a client of the Directory API that acts as a service account on behalf of an administrator. */
function googleClient(
  transport: HttpTransport,
  config: GoogleConfig,
  needsGroups: boolean,
  access: ApiAccess,
): ApiClient {
  return new ApiClient(transport, {
    baseUrl: `${withoutEndSlashes(config.url)}/admin/directory/v1`,
    auth: delegated(transport, config.subject, needsGroups, access),
    // The response contains no time to wait.
    throttled: (refusal) => (isThrottled(refusal) ? 0 : undefined),
  });
}

/** Authenticates by the JWT bearer grant (RFC 7523) with the administrator as subject (domain-wide delegation). */
function delegated(transport: HttpTransport, subject: string, needsGroups: boolean, access: ApiAccess): Authentication {
  const { client_email, private_key, private_key_id, token_uri } = keyOf(access);
  const key = signingKey(private_key, secretName);
  const scope = needsGroups ? `${scopes.users} ${scopes.groups}` : scopes.users;
  const form = () => ({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: signedJwt(key, { iss: client_email, sub: subject, aud: token_uri, scope }, private_key_id),
  });
  return oauthToken(transport, { tokenUrl: token_uri, form });
}

/** Parses the key file. The error message contains no part of the secret. */
function keyOf(access: ApiAccess): z.infer<typeof keyFile> {
  const text = secretOf(access, secretName);
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    throw new SourceError(`the secret "${secretName}" is not the JSON key file of a service account`, 'misconfigured');
  }
}

function isThrottled({ status, body }: Refusal): boolean {
  if (status !== 403) return false;
  try {
    const errors = valueAt(valueAt(JSON.parse(body.toString('utf8')), 'error'), 'errors');
    return Array.isArray(errors) && errors.some((one) => isObject(one) && throttled.has(String(one.reason)));
  } catch {
    return false;
  }
}

/** Maximum page size of Google. */
const maxUsers = 500;
const maxGroups = 200;
/** Concurrent requests; Google allows some thousand calls a minute. */
const atOnce = 5;

/**
 * Requests one page of users. Deleted users are read before existing ones: a user deleted during the read is in neither
 * list and counts as deleted, and a restored one is in both and counts as existing. `next` contains the list and its
 * token.
 */
async function askUsers(requests: PageRequests, config: GoogleConfig, next: string): Promise<ListAnswer> {
  const [, list = '', token = ''] = /^(\w+):(.*)$/s.exec(next || (config.deleted ? 'deleted:' : 'there:')) ?? [];
  const isDeleted = list === 'deleted';
  const query = {
    customer: config.customer,
    query: config.query,
    projection: 'full',
    orderBy: 'email',
    maxResults: maxUsers,
    showDeleted: isDeleted || undefined,
    pageToken: token || undefined,
  };
  const answer = await requests.get('/users', { query });
  // The list of existing users contains at least the administrator. Google omits an empty list of deleted users.
  const items = isDeleted ? listOrNone(answer, 'users') : listIn(answer, 'users');
  const following = tokenIn(answer);
  const end = isDeleted ? 'there:' : undefined;
  return { items, next: following === undefined ? end : `${list}:${following}`, from: answer.from };
}

/** Reads a user by id; undefined if it does not exist. */
async function askUser(requests: PageRequests, config: GoogleConfig, id: string): Promise<unknown | undefined> {
  const request = { query: { projection: 'full' }, shownAs: '/users/{id}' };
  const path = `/users/${encodeURIComponent(id)}`;
  const answer = await getOne(requests, path, request, () => askUsers(requests, config, 'there:'));
  return answer?.body;
}

/** Returns the groups of which each user is a direct member. */
async function groupsOfEach(requests: PageRequests, users: readonly unknown[]): Promise<Values[]> {
  return mapConcurrently(users, atOnce, (user) => groupsOf(requests, user));
}

async function groupsOf(requests: PageRequests, user: unknown): Promise<Values> {
  const userKey = scalarText(valueAt(user, 'id'));
  if (userKey === undefined || isDeleted(user)) return [];
  const ask = async (pageToken: string): Promise<ListAnswer> => {
    const query = { userKey, maxResults: maxGroups, pageToken: pageToken || undefined };
    const answer = await requests.get('/groups', { query });
    return { items: listOrNone(answer, 'groups'), next: tokenIn(answer), from: answer.from };
  };
  const found: unknown[] = [];
  for await (const { items } of readList(ask, { pageSize: maxGroups })) found.push(...items);
  return groupsIn(found, (group) => valueAt(group, 'name'));
}

/** Returns whether a user is deleted. Only deleted users have a deletion time. */
function isDeleted(user: unknown): boolean {
  return scalarText(valueAt(user, 'deletionTime')) !== undefined;
}

/** Returns the list of a response. Google omits an empty list, so the kind of the response is checked instead. */
function listOrNone(answer: ApiAnswer, name: string): unknown[] {
  const isEmpty =
    valueAt(answer.body, name) === undefined && valueAt(answer.body, 'kind') === `admin#directory#${name}`;
  return isEmpty ? [] : listIn(answer, name);
}

function tokenIn({ body, from }: ApiAnswer): string | undefined {
  const token = valueAt(body, 'nextPageToken');
  if (token === undefined || token === '') return undefined;
  if (typeof token !== 'string') throw new SourceError(`${from} answered with a nextPageToken that is not a string`);
  return token;
}
