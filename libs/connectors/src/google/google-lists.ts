import type { GoogleConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import type { ApiAnswer, PageRequests } from '../http/api-client.js';
import { getOne } from '../http/get-one.js';
import { listIn } from '../http/paging.js';
import { type ListAnswer, readList } from '../http/read-list.js';
import { scalarText, valueAt } from '../json/json-value.js';

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
export async function askUsers(requests: PageRequests, config: GoogleConfig, next: string): Promise<ListAnswer> {
  const [list = '', token = ''] = split(next || (config.deleted ? 'deleted:' : 'there:'));
  const isDeleted = list === 'deleted';
  const query = {
    customer: config.customer,
    query: config.query,
    projection: 'full',
    orderBy: 'email',
    maxResults: maxUsers,
    ...(isDeleted && { showDeleted: 'true' }),
    ...(token !== '' && { pageToken: token }),
  };
  const answer = await requests.get('/users', { query });
  // The list of existing users contains at least the administrator. Google omits an empty list of deleted users.
  const items = isDeleted ? listOrNone(answer, 'users') : listIn(answer, 'users');
  const following = tokenIn(answer);
  const end = isDeleted ? 'there:' : undefined;
  return { items, next: following === undefined ? end : `${list}:${following}`, from: answer.from };
}

/** Reads a user by id; undefined if it does not exist. */
export async function askUser(requests: PageRequests, config: GoogleConfig, id: string): Promise<unknown | undefined> {
  const query = { projection: 'full' };
  const answer = await getOne(
    requests,
    `/users/${encodeURIComponent(id)}`,
    { query, shownAs: '/users/{id}' },
    async () => {
      await askUsers(requests, config, 'there:');
    },
  );
  return answer?.body;
}

/** Returns the names of the groups of which each user is a direct member. */
export async function groupsOfEach(requests: PageRequests, users: readonly unknown[]): Promise<string[][]> {
  const groups: string[][] = [];
  for (let at = 0; at < users.length; at += atOnce) {
    groups.push(...(await Promise.all(users.slice(at, at + atOnce).map((user) => groupsOf(requests, user)))));
  }
  return groups;
}

async function groupsOf(requests: PageRequests, user: unknown): Promise<string[]> {
  const userKey = scalarText(valueAt(user, 'id'));
  if (userKey === undefined || isDeleted(user)) return [];
  const ask = async (pageToken: string): Promise<ListAnswer> => {
    const query = { userKey, maxResults: maxGroups, ...(pageToken !== '' && { pageToken }) };
    const answer = await requests.get('/groups', { query });
    return { items: listOrNone(answer, 'groups'), next: tokenIn(answer), from: answer.from };
  };
  const names: string[] = [];
  for await (const { items } of readList(ask, { pageSize: maxGroups })) {
    names.push(...items.flatMap((group) => scalarText(valueAt(group, 'name')) ?? []));
  }
  return names.sort();
}

/** Returns whether a user is deleted. Only deleted users have a deletion time. */
export function isDeleted(user: unknown): boolean {
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

function split(next: string): [string, string] {
  const colon = next.indexOf(':');
  return [next.slice(0, colon), next.slice(colon + 1)];
}
