// SQL by hand: sets of search terms, benchmarked.
import { comparedText, type RecordKind } from '@idsync/contracts';
import type { Database, NamedQuery } from '../../database.js';
import { type TermKind, valueTerm } from '../../directory/search-terms.js';
import { isWithinPage } from '../page.js';
import { type DocumentPage, type DocumentQuery, readRendered } from './documents.js';
import {
  type Condition,
  conditionsOf,
  type RecordFilter,
  recordCondition,
  type SharedFilter,
  sharedFiltersOf,
} from './filters.js';
import { asTyped, type Beginning, type TextRanges, textRanges, typosOf } from './search-text.js';

export type SearchedResource = 'identity' | RecordKind;

export interface SearchFilter {
  values?: Partial<Record<TermKind, string>>;
  /** A record of a source, or the records with this id in all sources. */
  anchor?: { connectorId?: string; externalId: string };
  /** The identity that owns a machine identity. */
  ownerId?: string;
  /** Beginning of names, addresses, numbers or logins. */
  text?: string;
}

export type SearchQuery = DocumentQuery & SearchFilter & RecordFilter & SharedFilter;

export interface SearchPage extends DocumentPage {
  /** True if more records match a filter than a search examines; the others are not in the list. */
  isEstimate: boolean;
  /** True if any record matches all filters except status and time. */
  hasHits: boolean;
}

/** Records that a search examines for each filter. */
export const maxFound = 2_000;
/**
 * Records that a search lists if more than `maxFound` match its only filter: reading all of them took four times as
 * long.
 */
export const maxListed = 500;
/** A word with fewer names is rare enough to begin with it. */
const fewNames = 40;
/** Names of the rarest word in which a search looks for the other words. */
export const maxCompared = 10_000;
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
 * each.
 */
export async function searchDocuments(
  database: Database,
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
): Promise<SearchPage> {
  const page = await readRendered<SearchPage>(database, tenantId, searchQuery(tenantId, resource, query));
  const { text, ...others } = query;
  // Too frequent words are no typos.
  if (page.hasHits || page.isEstimate || text === undefined || isSearch(others)) return page;
  const spellings = await findSpellings(database, tenantId, text);
  if (spellings.length === 0) return page;
  return readRendered<SearchPage>(database, tenantId, searchQuery(tenantId, resource, query, spellings));
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

/**
 * Builds the statement of a search: each filter finds at most `maxFound` records by one index, which are then read by
 * their ids. Laterals with a limit keep this order on tables without statistics.
 */
export function searchQuery(
  tenantId: string,
  resource: SearchedResource,
  query: SearchQuery,
  spellings?: readonly (readonly Beginning[])[],
): NamedQuery {
  const values: unknown[] = [tenantId, query.limit, query.offset];
  const value = (item: unknown) => `$${values.push(item)}`;
  const conditions: Condition[] = conditionsOf(resource, query, value);
  if (resource === 'identity' || resource === 'user') {
    const shared = sharedFiltersOf(query, value);
    conditions.push(
      ...shared.map((each) =>
        resource === 'user'
          ? { name: each.name, sql: each.matches('each') }
          : recordCondition('each.id', each, query.status),
      ),
    );
  }
  const sets = setsOf(query, value, spellings);
  const table = resource === 'identity' ? 'identities' : 'source_records';
  const ctes = sets.map(({ sql }, nth) => `set_${nth} as materialized (${sql} limit ${maxFound + 1})`);
  // Other filters need all hits: they may fulfil none of the first ones.
  const isOnly = sets.length === 1 && conditions.every(({ name }) => name === 'any' || name === resource);
  const beyond = isOnly ? `(select count(*) from set_0) > ${maxFound}` : 'false';
  const listed = `(select case when ${beyond} then ${maxListed} end)`;
  const hits = sets.map(
    (_, nth) => `select ${resourceOf(resource)} from (select record_id from set_${nth} limit ${listed}) as found
    cross join lateral (select id, kind, identity_id from source_records
                         where tenant_id = $1 and id = found.record_id limit 1) as record
    where ${resource === 'identity' ? 'identity_id is not null' : `kind = '${resource}'`}`,
  );
  const after = query.after
    ? `where (created_at, id) > (${value(new Date(query.after.createdAt))}, ${value(query.after.id)})`
    : '';
  return {
    name: [
      'search',
      resource,
      ...sets.map(({ name }) => name),
      ...conditions.map(({ name }) => name),
      after && 'after',
    ].join('-'),
    text: `with ${[...sets.flatMap(({ before = [] }) => before), ...ctes].join(', ')},
      hits as materialized (${hits.join(' intersect ')}),
      listed as materialized (
        select each.created_at, each.id, each.bytes from hits
         cross join lateral (select *, octet_length(document) as bytes from ${table}
                              where tenant_id = $1 and id = hits.id limit 1) as each
         where ${conditions.map(({ sql }) => sql).join(' and ')}),
      page as (select * from listed ${after} order by created_at, id limit $2 offset $3)
      select string_agg(document, ',' order by created_at, id) filter (where fits) as items,
             count(*) filter (where fits) as count, coalesce(bool_or(not fits), false) as "isCut",
             case when ${beyond} then ${maxFound} + 1 else (select count(*) from listed) end as total, exists (select from hits) as "hasHits",
             ${sets.map(({ isCut = 'false' }, nth) => `(select count(*) from set_${nth}) > ${maxFound} or ${isCut}`).join(' or ')} as "isEstimate",
             max(created_at) filter (where fits) as at,
             (array_agg(id order by created_at desc, id desc) filter (where fits))[1] as id
        from (select document, created_at, page.id, ${isWithinPage('bytes', 'created_at, page.id')} as fits
                from page cross join lateral (
                  select document from ${table} where tenant_id = $1 and id = page.id limit 1) as one) as page`,
    values,
  };
}

function resourceOf(resource: SearchedResource): string {
  return resource === 'identity' ? 'distinct identity_id as id' : 'distinct id';
}

interface FoundSet {
  name: string;
  sql: string;
  /** Common table expressions that it needs. */
  before?: string[];
  /** Condition under which it is incomplete. */
  isCut?: string;
}

function setsOf(
  { values = {}, anchor, ownerId, text }: SearchFilter,
  value: (item: unknown) => string,
  spellings: readonly (readonly Beginning[])[] | undefined,
): FoundSet[] {
  const sets: FoundSet[] = [];
  for (const [kind, given] of Object.entries(values) as [TermKind, string | undefined][]) {
    if (given === undefined) continue;
    const term = value(valueTerm(kind, given) ?? '');
    sets.push({
      name: kind,
      sql: `select record_id from search_terms where tenant_id = $1 and term = ${term} order by record_id`,
    });
  }
  if (anchor && anchor.connectorId === undefined) {
    sets.push({
      name: 'any-anchor',
      sql: `select each.id as record_id from connectors
             cross join lateral (select id from source_records where tenant_id = $1 and connector_id = connectors.id
                                    and external_id = ${value(comparedText(anchor.externalId))} limit 1) as each
             where connectors.tenant_id = $1`,
    });
  } else if (anchor) {
    const [connector, id] = [value(anchor.connectorId), value(comparedText(anchor.externalId))];
    sets.push({
      name: 'anchor',
      sql: `select id as record_id from source_records where tenant_id = $1 and connector_id = ${connector} and external_id = ${id}`,
    });
  }
  if (ownerId !== undefined) {
    sets.push({
      name: 'owner',
      sql: `select distinct record_id from machine_references where tenant_id = $1 and identity_id = ${value(ownerId)}`,
    });
  }
  if (text !== undefined) sets.push(textSet(textRanges(text, spellings), value));
  return sets;
}

/** Finds the records of a text: values by their beginning, and names by the word that the fewest names have. */
function textSet({ low, high, word, words }: TextRanges, value: (item: unknown) => string): FoundSet {
  const ranges = `ranges as materialized (
    select * from unnest(${value(low)}::text[], ${value(high)}::text[], ${value(word)}::integer[]) as t (low, high, word))`;
  const terms = (limit: string) => `(
    select term, record_id from search_terms where tenant_id = $1 and term >= low and term < high order by term ${limit})`;
  const few = `limit ${maxFound + 1}`;
  if (words.length < 2) {
    const sql = `select distinct record_id from ranges cross join lateral ${terms(few)} as found order by record_id`;
    return { name: 'text', before: [ranges], sql };
  }
  const sizes = (limit: number) =>
    `select word, sum(names) as names from ranges
      cross join lateral (select count(*) as names from ${terms(`limit ${limit}`)} as first) as size
      where word is not null`;
  // Two steps, so that the names of a frequent word are not counted beside a rare one.
  const rarest = `few as materialized (${sizes(fewNames)} group by word having sum(names) < ${fewNames}),
    rarest as materialized (
      select word from (select * from few union all ${sizes(maxFound)} and not exists (select from few) group by word) as sizes
       order by names, word limit 1)`;
  const compared = `compared as materialized (
    select term, record_id from ranges cross join lateral ${terms(`limit ${maxCompared + 1}`)} as beginning
     where word = (select word from rarest) limit ${maxCompared + 1})`;
  // A search for each word takes a tenth of the time of a regular expression.
  const isTyped = words.every((each) => each.length === 1);
  const named = isTyped
    ? words.flat().map((each) => `strpos(' ' || substr(term, 3), ${value(` ${each}`)}) > 0`)
    : [`term ~ all (${value(words.map(patternOf))}::text[])`];
  return {
    name: isTyped ? `words-${words.length}` : 'spellings',
    before: [ranges, rarest, compared],
    sql: `select distinct record_id from (
            select record_id from compared where ${named.join(' and ')}
            union all
            select record_id from ranges cross join lateral ${terms(few)} as found where word is null) as found
           order by record_id`,
    isCut: `(select count(*) from compared) > ${maxCompared}`,
  };
}

/** Words consist of letters and digits, so nothing needs to be escaped. */
function patternOf(spellings: readonly string[]): string {
  return `[: ](${spellings.join('|')})`;
}
