// SQL by hand: spellings looked up at once.
import type { Database, NamedQuery } from '../../database.js';
import { type DocumentPage, readRendered } from './documents.js';
import { filterDocuments } from './filter-documents.js';
import { listRecords } from './list-records.js';
import { type SearchFilter, searchesOf } from './search-sets.js';
import { asTyped, type Beginning, typosOf } from './search-text.js';
import { type HitsPage, hitsQuery, type SearchedResource, type SearchQuery } from './sorted-hits.js';

/** Spellings of one word that a search tries. */
const maxSpellings = 20;

/** True if a query must be answered by a search. */
export function isSearch({ values, anchor, ownerId, text }: SearchFilter): boolean {
  return (
    Object.values(values ?? {}).some((value) => value !== undefined) || !!anchor || !!ownerId || text !== undefined
  );
}

/**
 * Searches a tenant's documents, in creation order. If a text has no hits as it was typed, its words may have one typo
 * each. The records of the first filter that few fulfil are collected; if many fulfil each of them, the list is
 * followed like one with filters.
 */
export async function searchDocuments(
  database: Database,
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
): Promise<DocumentPage> {
  const { text, after, ...others } = query;
  if (text !== undefined && after?.isSpelled && query.spellings === undefined) {
    const spellings = await findSpellings(database, tenantId, text);
    return searchDocuments(database, tenantId, resource, { ...query, spellings });
  }
  const page = after?.along === undefined ? await findFew(database, tenantId, resource, query) : undefined;
  if (page === undefined) return followList(database, tenantId, resource, query);
  if (page.hasHits || text === undefined || query.spellings || isSearch(others)) return page;
  const spellings = await findSpellings(database, tenantId, text);
  return spellings.length === 0 ? page : searchDocuments(database, tenantId, resource, { ...query, spellings });
}

/** Returns undefined if too many records match each filter of the search. */
async function findFew(
  database: Database,
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
): Promise<HitsPage | undefined> {
  for (const nth of searchesOf(query).keys()) {
    const page = await readRendered<HitsPage>(database, tenantId, searchQuery(tenantId, resource, query, nth));
    if (!page.isTooMany) return page;
  }
  return undefined;
}

/** Builds the statement of a search that collects the records of its `nth` filter. */
export function searchQuery(tenantId: string, resource: SearchedResource, query: SearchQuery, nth = 0): NamedQuery {
  const searches = searchesOf(query);
  const [search] = searches.splice(nth, 1);
  if (!search) throw new Error('a search has a filter');
  return hitsQuery(tenantId, resource, query, search.set, (value) =>
    searches.flatMap(({ match }) => match?.(value) ?? []),
  );
}

async function followList(
  database: Database,
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
): Promise<DocumentPage> {
  // A position of few hits, which have become many, has no place in this order: the list begins again.
  const given = { ...query, after: query.after?.along === undefined ? undefined : query.after };
  if (resource === 'identity' || resource === 'user') return filterDocuments(database, tenantId, resource, given);
  const page = await listRecords(database, tenantId, resource, given);
  return { ...page, last: page.last && { ...page.last, along: 0, ...(query.spellings && { isSpelled: true }) } };
}

/** Returns for each word of a text the known words with at most one typo; nothing if there are none for one of them. */
async function findSpellings(database: Database, tenantId: string, text: string): Promise<Beginning[][]> {
  const words = asTyped(text).map(([word]) => typosOf(word?.text ?? ''));
  const all = words.flat();
  const low = all.map(({ text: each, isWhole }) => `w:${each}${isWhole ? ' ' : ''}`);
  const rows = await database.read<{ nth: number }>(tenantId, {
    name: 'spellings',
    text: `select nth::integer from unnest($2::text[], $3::text[]) with ordinality as word (low, high, nth)
            cross join lateral (select from search_terms where tenant_id = $1 and term >= low and term < high
                                 order by term limit 1) as known`,
    values: [tenantId, low, low.map((each) => `${each}\u{10ffff}`)],
  });
  const known = new Set(rows.map(({ nth }) => all[nth - 1]));
  const found = words.map((spellings) => spellings.filter((each) => known.has(each)).slice(0, maxSpellings));
  return found.some((spellings) => spellings.length === 0) ? [] : found;
}
