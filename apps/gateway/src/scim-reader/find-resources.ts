import type { responses } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import {
  findDocument,
  findGroup,
  findGroupsByName,
  type GroupRow,
  listGroups,
  type Position,
  type SearchQuery,
} from '@idsync/database/gateway';
import { findPage } from '../identities/document-page.js';
import { largestPage } from '../scim/scim-bounds.js';
import { refused } from '../scim/scim-error.js';
import { type Member, userNameOf } from './present-resource.js';
import type { Criteria } from './read-criteria.js';

export interface Page {
  limit: number;
  offset: number;
  after?: Position;
}

export interface Found<Item> {
  items: Item[];
  total: number;
  /** There are, or may be, more than `total`. */
  isEstimate?: boolean;
  /** Position of the last item if more may follow. */
  next?: Position;
}

/** Members of one group in one response. */
export const maxMembers = 2_000;

/** Finds users by the statements of `/v1/users`, in creation order. */
export async function findUsers(
  database: Database,
  tenantId: string,
  criteria: Criteria,
  page: Page,
): Promise<Found<responses.User>> {
  if (criteria.id !== undefined) {
    const user = await findUser(database, tenantId, criteria.id);
    return within(user ? [user] : [], page);
  }
  if (criteria.groupId === '') return { items: [], total: 0 };
  if (criteria.userName !== undefined) {
    return within(await findByUserName(database, tenantId, { ...criteria, userName: criteria.userName }), page);
  }
  const { email, externalId } = criteria;
  const found = await findPage(database, tenantId, 'user', {
    ...page,
    ...commonQuery(criteria),
    values: { email },
    anchor: externalId === undefined ? undefined : { externalId },
  });
  const more = page.limit > 0 && (found.isCut || found.count === page.limit);
  const { total, isEstimate, last } = found;
  return { items: usersOf(found.items), total, isEstimate, ...(more && last && { next: last }) };
}

/** Returns a user that is not deleted. */
export async function findUser(database: Database, tenantId: string, id: string): Promise<responses.User | undefined> {
  const document = id === '' ? undefined : await findDocument(database, tenantId, 'user', id);
  const user = document === undefined ? undefined : (JSON.parse(document) as responses.User);
  return user?.status === 'deleted' ? undefined : user;
}

/** A userName is one of three fields, so each of them is searched. */
async function findByUserName(
  database: Database,
  tenantId: string,
  criteria: Criteria & { userName: string },
): Promise<responses.User[]> {
  const { userName, email, externalId } = criteria;
  const query = { limit: largestPage, offset: 0, ...commonQuery(criteria) };
  const ways: Partial<SearchQuery>[] = [
    { values: { user_principal_name: userName } },
    { values: { email: userName } },
    { anchor: { externalId: userName } },
  ];
  const found = new Map<string, responses.User>();
  for (const way of ways) {
    const page = await findPage(database, tenantId, 'user', { ...query, ...way });
    if (page.isCut || page.total > page.count)
      throw refused('tooMany', `more than ${page.count} users may have this userName`);
    for (const user of usersOf(page.items)) found.set(user.id, user);
  }
  const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
  return [...found.values()]
    .filter(
      (user) =>
        same(userNameOf(user), userName) &&
        (email === undefined || same(user.email, email)) &&
        (externalId === undefined || user.external_id === externalId),
    )
    .sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1));
}

function commonQuery({ active, since, groupId }: Criteria): Partial<SearchQuery> {
  return { ...(active && { status: 'active' }), updatedSince: since, groupId };
}

export async function findGroups(
  database: Database,
  tenantId: string,
  { id, displayName }: Criteria,
  page: Page,
): Promise<Found<GroupRow>> {
  if (id !== undefined) {
    const group = id === '' ? undefined : await findGroup(database, tenantId, id);
    return within(group ? [group] : [], page);
  }
  if (displayName !== undefined) return within(await findGroupsByName(database, tenantId, displayName), page);
  const { rows, total } = await listGroups(database, tenantId, page);
  const last = page.limit > 0 && rows.length === page.limit ? rows.at(-1) : undefined;
  return { items: rows, total, ...(last && { next: { createdAt: last.createdAt.getTime(), id: last.id } }) };
}

/** Returns all members of a group. Throws a 400 if there are too many for one response. */
export async function findMembers(database: Database, tenantId: string, groupId: string): Promise<Member[]> {
  const members: Member[] = [];
  for (let after: Position | undefined; ; ) {
    const page = await findUsers(database, tenantId, { groupId }, { limit: largestPage, offset: 0, after });
    // Whole users may be large.
    members.push(...page.items.map(({ id, display_name }) => ({ id, display_name })));
    if (members.length > maxMembers) {
      throw refused('tooMany', `the group has more than ${maxMembers} members: list Users with groups.value eq its id`);
    }
    if (!page.next) return members;
    after = page.next;
  }
}

/** A list that was found as a whole, which has at most a page of items for each way to find it. */
function within<Item>(all: readonly Item[], { limit, offset, after }: Page): Found<Item> {
  // Only the first page of such a list has a cursor, so a later one is that of another list.
  return { items: after ? [] : all.slice(offset, offset + limit), total: all.length };
}

function usersOf(items: string): responses.User[] {
  return JSON.parse(`[${items}]`) as responses.User[];
}
