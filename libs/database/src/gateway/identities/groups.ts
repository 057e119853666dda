// SQL by hand: pages with their total in one round trip, and lateral joins.
import type { Database, NamedQuery } from '../../database.js';
import { groupIdOf } from '../../directory/group-id.js';
import { groupIdsField, groupsOf, type ListedRecord } from '../../directory/list-terms.js';
import { maxCounted } from '../page.js';
import type { Position } from './documents.js';

export interface GroupRow {
  id: string;
  connectorId: string;
  name: string;
  /** The key in the source; null if the name is the key. */
  externalId: string | null;
  createdAt: Date;
  /** Null if it has the name that it was created with. */
  updatedAt: Date | null;
  /** Counted up to a limit. */
  members: number;
}

export interface GroupQuery {
  limit: number;
  offset: number;
  after?: Position;
  connectorId?: string;
  /** Only together with the connector. */
  name?: string;
}

export interface GroupPage {
  rows: GroupRow[];
  total: number;
  /** True if there are more groups than were counted. */
  isEstimate: boolean;
}

/** Members that the groups of one answer may have counted, divided by their number. */
const mostCountedMembers = 50_000;

const columns = `id, connector_id as "connectorId", name, external_id as "externalId", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** Returns the query of the columns of selected groups, with their members up to one more than `most`. */
function withMembers(selected: string, most: number | string): string {
  return `select ${columns}, members from (select * from groups where tenant_id = $1 and ${selected}) as g
           cross join lateral (select count(*)::int as members from (
             select from list_terms where tenant_id = $1 and term = g.term limit ${most}::int + 1) as counted) as counted`;
}

/**
 * A group without members may have been renamed or deleted. `offset 0` keeps it a lookup for each group, and the order
 * one by the index, also if a term has so many members that any row seems to be one.
 */
const hasMembers =
  'exists (select from list_terms where tenant_id = $1 and term = groups.term order by created_at offset 0)';

/** Returns a page of a tenant's groups with members, in creation order. */
export async function listGroups(database: Database, tenantId: string, query: GroupQuery): Promise<GroupPage> {
  const { name, connectorId, after, offset, limit } = query;
  if (name !== undefined && connectorId !== undefined) {
    const groups = await findNamed(database, tenantId, [connectorId], name, limit);
    return { rows: after ? [] : groups.slice(offset, offset + limit), total: groups.length, isEstimate: false };
  }
  // The first row has the count also if the page is empty.
  const found = await database.read<Partial<GroupRow> & { total: number }>(tenantId, groupListQuery(tenantId, query));
  const total = found[0]?.total ?? 0;
  const rows = found.flatMap(({ total: _, ...row }) => (row.id ? [row as GroupRow] : []));
  return { rows, total: Math.min(total, maxCounted), isEstimate: total > maxCounted };
}

export function groupListQuery(tenantId: string, { limit, offset, after, connectorId }: GroupQuery): NamedQuery {
  const values: unknown[] = [tenantId, limit, offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const source = connectorId === undefined ? '' : ` and connector_id = ${value(connectorId)}`;
  const rest = after ? ` and (created_at, id) > (${value(new Date(after.createdAt))}, ${value(after.id)})` : '';
  const most = value(countedOf(limit));
  const page = `true${source}${rest} and ${hasMembers} order by created_at, id limit $2 offset $3`;
  return {
    name: `groups${source && '-source'}${rest && '-after'}`,
    text: `select total, page.* from (
             select count(*) as total from (
               select from groups where tenant_id = $1${source} and ${hasMembers}
                order by created_at, id limit ${maxCounted + 1}) as counted) as counted
             left join (${withMembers(page, most)}) as page on true
            order by "createdAt", id`,
    values,
  };
}

/** Returns how many members of each of some groups one answer counts. */
export function countedOf(groups: number): number {
  return Math.floor(mostCountedMembers / Math.max(groups, 1));
}

/** Finds a group that has members. */
export async function findGroup(database: Database, tenantId: string, id: string): Promise<GroupRow | undefined> {
  const [group] = await database.read<GroupRow>(tenantId, {
    name: 'group',
    text: withMembers(`id = $2 and ${hasMembers}`, countedOf(1)),
    values: [tenantId, id],
  });
  return group;
}

/** Finds the groups of this name in all sources. */
export async function findGroupsByName(database: Database, tenantId: string, name: string): Promise<GroupRow[]> {
  const connectors = await database.read<{ id: string }>(tenantId, {
    name: 'connector-ids',
    text: 'select id from connectors where tenant_id = $1',
    values: [tenantId],
  });
  return findNamed(
    database,
    tenantId,
    connectors.map(({ id }) => id),
    name,
    200,
  );
}

/** Groups of a source may have one name. Each is found by the id that its name gives, which is its own or `name_id`. */
async function findNamed(
  database: Database,
  tenantId: string,
  connectorIds: readonly string[],
  name: string,
  limit: number,
): Promise<GroupRow[]> {
  const named = `id in (select id from groups where tenant_id = $1 and id = any($2::uuid[])
                        union select id from groups where tenant_id = $1 and name_id = any($2::uuid[]))`;
  return database.read<GroupRow>(tenantId, {
    name: 'groups-by-name',
    text: `${withMembers(`${named} and name = $3 and ${hasMembers}`, '$4')} order by created_at, id`,
    values: [tenantId, connectorIds.map((id) => groupIdOf(id, name)), name, countedOf(limit)],
  });
}

/** A group of a record, with its name. */
export interface NamedGroup {
  id: string;
  name: string;
}

/** Returns the groups of users that are not deleted, by the ids of the users. */
export async function findGroupsOf(
  database: Database,
  tenantId: string,
  recordIds: readonly string[],
): Promise<Map<string, NamedGroup[]>> {
  const rows = await database.read<ListedRecord & { id: string }>(tenantId, {
    name: 'groups-of',
    text: `select r.* from unnest($2::uuid[]) as n (id)
            cross join lateral (select id, kind, status, connector_id as "connectorId", jsonb_strip_nulls(
                                  jsonb_build_object('groups', fields -> 'groups',
                                                     '${groupIdsField}', fields -> '${groupIdsField}')) as fields
                                  from source_records where tenant_id = $1 and id = n.id limit 1) as r`,
    values: [tenantId, recordIds],
  });
  const groups = new Map(rows.map((row) => [row.id, groupsOf(row)]));
  const unnamed = [...groups.values()].flat().flatMap(({ id, name }) => (name === undefined ? id : []));
  const names = await findNames(database, tenantId, [...new Set(unnamed)]);
  return new Map(
    [...groups].map(([id, each]) => [
      id,
      each.flatMap((group) => {
        const name = group.name ?? names.get(group.id);
        return name === undefined ? [] : { id: group.id, name };
      }),
    ]),
  );
}

async function findNames(database: Database, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read<NamedGroup>(tenantId, {
    name: 'group-names',
    text: `select g.* from unnest($2::uuid[]) as n (id)
            cross join lateral (select id, name from groups where tenant_id = $1 and id = n.id limit 1) as g`,
    values: [tenantId, ids],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
