// SQL by hand: pages with their total in one round trip, and lateral joins.
import type { Database, NamedQuery } from '../../database.js';
import { groupIdOf } from '../../directory/group-id.js';
import { maxCounted } from '../page.js';
import type { Position } from './documents.js';

export interface GroupRow {
  id: string;
  connectorId: string;
  name: string;
  createdAt: Date;
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

const columns = 'id, connector_id as "connectorId", name, created_at as "createdAt"';
/**
 * A group without members may have been renamed or deleted. `offset 0` keeps it a lookup for each group, and the order
 * one by the index, also if a term has so many members that any row seems to be one.
 */
const hasMembers =
  'exists (select from list_terms where tenant_id = $1 and term = groups.term order by created_at offset 0)';

/** Returns a page of a tenant's groups with members, in creation order. */
export async function listGroups(database: Database, tenantId: string, query: GroupQuery): Promise<GroupPage> {
  if (query.name !== undefined && query.connectorId !== undefined) {
    const group = await findGroup(database, tenantId, groupIdOf(query.connectorId, query.name));
    const isShown = group && !query.after && query.offset === 0;
    return { rows: isShown ? [group] : [], total: group ? 1 : 0, isEstimate: false };
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
  return {
    name: `groups${source && '-source'}${rest && '-after'}`,
    text: `select total, page.* from (
             select count(*) as total from (
               select from groups where tenant_id = $1${source} and ${hasMembers}
                order by created_at, id limit ${maxCounted + 1}) as counted) as counted
             left join (
               select ${columns} from groups where tenant_id = $1${source}${rest} and ${hasMembers}
                order by created_at, id limit $2 offset $3) as page on true
            order by "createdAt", id`,
    values,
  };
}

/** Finds a group that has members. */
export async function findGroup(database: Database, tenantId: string, id: string): Promise<GroupRow | undefined> {
  const [group] = await database.read<GroupRow>(tenantId, {
    name: 'group',
    text: `select ${columns} from groups where tenant_id = $1 and id = $2 and ${hasMembers}`,
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
  return database.read<GroupRow>(tenantId, {
    name: 'groups-by-id',
    text: `select ${columns} from groups where tenant_id = $1 and id = any($2::uuid[]) and ${hasMembers}
            order by created_at, id`,
    values: [tenantId, connectors.map(({ id }) => groupIdOf(id, name))],
  });
}

/** Returns the connectors of records by their ids. */
export async function findConnectorsOf(
  database: Database,
  tenantId: string,
  recordIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await database.read<{ id: string; connectorId: string }>(tenantId, {
    name: 'connectors-of',
    text: `select r.* from unnest($2::uuid[]) as n (id)
            cross join lateral (select id, connector_id as "connectorId" from source_records
                                 where tenant_id = $1 and id = n.id limit 1) as r`,
    values: [tenantId, recordIds],
  });
  return new Map(rows.map(({ id, connectorId }) => [id, connectorId]));
}
