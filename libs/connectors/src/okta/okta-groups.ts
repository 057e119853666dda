import type { PageRequests } from '../http/api-client.js';
import { readList } from '../http/read-list.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { oktaAnswer } from './okta-client.js';

/** Concurrent requests. Okta allows an organization some dozens, most of which are left to other clients. */
const atOnce = 5;
const limit = 200;
const shownAs = '/users/{id}/groups';

/** Returns the names of the groups of each user. */
export async function groupsOfEach(requests: PageRequests, users: readonly unknown[]): Promise<string[][]> {
  const groups: string[][] = [];
  for (let at = 0; at < users.length; at += atOnce) {
    groups.push(...(await Promise.all(users.slice(at, at + atOnce).map((user) => groupsOf(requests, user)))));
  }
  return groups;
}

async function groupsOf(requests: PageRequests, user: unknown): Promise<string[]> {
  const id = scalarText(valueAt(user, 'id'));
  if (id === undefined) return [];
  const path = `/users/${encodeURIComponent(id)}/groups`;
  const ask = async (next: string) =>
    oktaAnswer(
      await (next === '' ? requests.get(path, { query: { limit }, shownAs }) : requests.follow(next, { shownAs })),
      limit,
    );
  const names: string[] = [];
  for await (const { items } of readList(ask, { pageSize: limit })) {
    names.push(...items.flatMap((group) => scalarText(valueAt(valueAt(group, 'profile'), 'name')) ?? []));
  }
  return names.sort();
}
