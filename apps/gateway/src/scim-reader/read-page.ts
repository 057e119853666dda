import { requests } from '@idsync/contracts';
import { ApiError } from '../http/api-error.js';
import { listResponse } from '../scim/discovery.js';
import { refused } from '../scim/scim-error.js';
import { pageOf, type ScimQuery, text } from '../scim/scim-query.js';
import { readCursor, writeCursor } from '../shared/cursor.js';
import type { Found, Page } from './find-resources.js';

/** A page by `startIndex`, or by `cursor` (RFC 9865), which is empty for the first page. */
export interface RequestedPage extends Page {
  byCursor: boolean;
}

export function readPage(query: ScimQuery): RequestedPage {
  const { limit, offset } = pageOf(query);
  const cursor = text(query, 'cursor');
  if (cursor === undefined) {
    if (query.filter !== undefined && offset > requests.maxChangesOffset)
      throw refused('tooMany', `startIndex must be at most ${requests.maxChangesOffset + 1} with a filter: use cursor`);
    return { limit, offset, byCursor: false };
  }
  try {
    return { limit, offset: 0, after: readCursor(cursor), byCursor: true };
  } catch (error) {
    throw error instanceof ApiError ? refused('invalidCursor', error.message) : error;
  }
}

/** Builds the ListResponse of a page. Clients that page by index read on while `totalResults` is greater. */
export function pageResponse(
  resources: readonly object[],
  { total, isEstimate, next }: Found<unknown>,
  { byCursor, limit, offset }: RequestedPage,
): object {
  const hasMore = isEstimate && next !== undefined;
  if (hasMore && !byCursor && resources.length < limit)
    throw refused('tooMany', 'the filter has more resources than one request examines: use cursor');
  const response = listResponse(
    resources,
    hasMore ? Math.max(total, offset + resources.length + 1) : total,
    offset + 1,
  );
  if (!byCursor) return response;
  const { startIndex: _, ...others } = response as Record<string, unknown>;
  return { ...others, ...(next && { nextCursor: writeCursor(next) }) };
}
