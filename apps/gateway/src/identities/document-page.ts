import { decodeId, type requests } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import {
  type DocumentPage,
  filterDocuments,
  findDocuments,
  isFiltered,
  isSearch,
  listRecords,
  type Position,
  type SearchedResource,
  type SearchQuery,
  searchDocuments,
} from '@idsync/database/gateway';
import { badRequest } from '../http/api-error.js';
import type { Conditional } from '../http/conditional.decorator.js';
import { invalidCursor, readCursor, writeCursor } from '../shared/cursor.js';
import { versionOfPages } from './document-version.js';
import type { TenantPositions } from './tenant-positions.service.js';

/**
 * Builds a page of a list for a client that may have an earlier version of it. Returns undefined if the client has the
 * current one. Lists with filters have no version.
 */
export async function conditionalPage(
  database: Database,
  positions: TenantPositions,
  tenantId: string,
  resource: SearchedResource,
  given: requests.ListQuery & { group?: string },
  condition: Conditional,
): Promise<string | undefined> {
  // Checked before the page is read: most pages have not changed.
  if (condition.hasVersion && hasVersion(resource, documentQuery(given))) {
    const position = await positions.find(tenantId);
    if (position !== undefined && condition.isUnchanged(versionOfPages(tenantId, position))) return undefined;
  }
  return documentPage(database, tenantId, resource, given, (position) =>
    condition.setVersion(versionOfPages(tenantId, position)),
  );
}

/** Other lists read more than the position covers, or are filtered by terms. */
function hasVersion(resource: SearchedResource, query: SearchQuery): boolean {
  return (resource === 'identity' || resource === 'user') && !isSearch(query) && !isFiltered(query);
}

/** Builds a page from the JSON documents that PostgreSQL returns; calls `atPosition` with the position of its tenant. */
export async function documentPage(
  database: Database,
  tenantId: string,
  resource: SearchedResource,
  given: requests.ListQuery & { group?: string },
  atPosition?: (position: string) => void,
): Promise<string> {
  const query = documentQuery(given);
  const page = await findPage(database, tenantId, resource, query);
  if (page.tenantPosition !== undefined) atPosition?.(page.tenantPosition);
  const { limit, offset } = query;
  // A cursor behind the examined rows would forget how many items are still to be skipped.
  if (page.isCut && page.count === 0 && offset > 0)
    throw badRequest(`offset ${offset} is beyond all that one request examines with these filters: use cursor instead`);
  const more = page.isCut || (given.cursor !== undefined && page.count === limit);
  const next = more && page.last ? `,"next_cursor":"${writeCursor(page.last)}"` : '';
  const total = `"total":${page.total}${page.isEstimate ? ',"total_is_estimate":true' : ''}`;
  return `{"data":[${page.items}],${total},"limit":${limit},"offset":${offset}${next}}`;
}

/** Finds a page by the statement that fits its filters. */
export function findPage(
  database: Database,
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
): Promise<DocumentPage> {
  if (isSearch(query)) return searchDocuments(database, tenantId, resource, query);
  if (resource !== 'identity' && resource !== 'user') return listRecords(database, tenantId, resource, query);
  return isFiltered(query)
    ? filterDocuments(database, tenantId, resource, query)
    : findDocuments(database, tenantId, resource, query);
}

function documentQuery(given: requests.ListQuery & { group?: string }): SearchQuery {
  const byRisk = 'sort' in given && given.sort === 'risk';
  const { limit, cursor, status, updated_since, email, employee_number, user_principal_name, q } = given;
  return {
    limit,
    offset: cursor === undefined ? given.offset : 0,
    status,
    updatedSince: updated_since === undefined ? undefined : new Date(updated_since),
    after: cursor === undefined ? undefined : readCursorOf(byRisk, cursor),
    hasPositions: cursor !== undefined,
    values: { email, employee_number, user_principal_name },
    text: q,
    anchor:
      given.connector_id === undefined || given.external_id === undefined
        ? undefined
        : { connectorId: filterId('connector', 'connector_id', given.connector_id), externalId: given.external_id },
    ...('department' in given && { department: given.department }),
    ...('attributes' in given && { attributes: given.attributes }),
    ...('manager_id' in given &&
      given.manager_id !== undefined && { managerId: filterId('identity', 'manager_id', given.manager_id) }),
    ...(given.group !== undefined && { groupId: filterId('group', 'group', given.group) }),
    ...('source' in given && given.source !== undefined && { sourceId: filterId('connector', 'source', given.source) }),
    ...('matched' in given && { isMatched: given.matched }),
    ...('min_risk' in given && { minRisk: given.min_risk }),
    ...('max_risk' in given && { maxRisk: given.max_risk }),
    byRisk,
    ...('classification' in given && { classification: given.classification }),
    ...('owned_by' in given &&
      given.owned_by !== undefined && { ownerId: filterId('identity', 'owned_by', given.owned_by) }),
  };
}

/** Throws a 400 for a cursor of another order. */
function readCursorOf(byRisk: boolean, cursor: string): Position | undefined {
  const position = readCursor(cursor);
  if (position !== undefined && (position.risk !== undefined) !== byRisk) throw invalidCursor();
  return position;
}

/** Throws a 400 for an invalid id, which would otherwise find nothing without a reason. */
export function filterId(kind: 'connector' | 'identity' | 'group', name: string, id: string): string {
  const uuid = decodeId(kind, id);
  if (uuid === undefined) throw badRequest(`${name} must be the id of ${kind === 'identity' ? 'an' : 'a'} ${kind}`);
  return uuid;
}
