import { comparedText } from '@idsync/contracts';
import { type TermKind, valueTerm } from '../../directory/search-terms.js';
import type { RecordMatch, Value } from './filters.js';
import { type Beginning, type TextRanges, textRanges } from './search-text.js';

export interface SearchFilter {
  values?: Partial<Record<TermKind, string>>;
  /** A record of a source, or the records with this id in all sources. */
  anchor?: { connectorId?: string; externalId: string };
  /** The identity that owns a machine identity. */
  ownerId?: string;
  /** Beginning of names, addresses, numbers or logins. */
  text?: string;
  /** The words that may be meant by each word of the text; default the words as typed. */
  spellings?: readonly (readonly Beginning[])[];
}

/** Records that one statement collects and sorts. */
export const maxFound = 2_000;
/** Terms in which they are looked for: a name has several. */
const maxTerms = 3 * maxFound;
/** A word with fewer names is rare enough to begin with it. */
const fewNames = 40;
/** Terms of a text, or of its rarest word, that a search reads for each page, without their records. */
export const maxCompared = 20_000;

/** The records that fulfil a search filter, by its index. */
export interface FoundSet {
  name: string;
  /** Selects `record_id`. */
  sql: string;
  /** Common table expressions that it needs. */
  before?: string[];
  /** Condition under which it is incomplete. */
  isCut?: string;
  /** True if the ids are those of the items of the list. */
  isOfItems?: boolean;
}

interface Search {
  isText?: true;
  set: (value: Value) => FoundSet;
  /** Absent if it is never a condition, or if the conditions of the list contain it. */
  match?: (value: Value) => RecordMatch;
}

/** Returns the filters of a search, those that the fewest records fulfil first. */
export function searchesOf({ values = {}, anchor, ownerId, text, spellings }: SearchFilter): Search[] {
  const searches: Search[] = [];
  // Never too many: a source has an id once.
  if (anchor) searches.push({ set: (value) => anchorSet(anchor, value) });
  for (const [kind, given] of Object.entries(values) as [TermKind, string | undefined][]) {
    if (given !== undefined) searches.push(valueSearch(kind, valueTerm(kind, given) ?? ''));
  }
  if (ownerId !== undefined) searches.push({ set: (value) => ownerSet(value(ownerId)) });
  if (text !== undefined) {
    const ranges = textRanges(text, spellings);
    searches.push({
      isText: true,
      set: (value) => textSet(ranges, value, maxTerms),
      match: (value) => textMatch(ranges, value),
    });
  }
  return searches;
}

/** Returns the conditions of a search that those of its list do not contain. */
export function searchMatchesOf(filter: SearchFilter, value: Value): RecordMatch[] {
  return searchesOf(filter).flatMap(({ match }) => match?.(value) ?? []);
}

function anchorSet({ connectorId, externalId }: NonNullable<SearchFilter['anchor']>, value: Value): FoundSet {
  const id = value(comparedText(externalId));
  if (connectorId !== undefined) {
    return {
      name: 'anchor',
      sql: `select id as record_id from source_records where tenant_id = $1 and connector_id = ${value(connectorId)} and external_id = ${id}`,
    };
  }
  return {
    name: 'any-anchor',
    sql: `select each.id as record_id from connectors
           cross join lateral (select id from source_records where tenant_id = $1 and connector_id = connectors.id
                                  and external_id = ${id} limit 1) as each
           where connectors.tenant_id = $1`,
  };
}

function valueSearch(kind: TermKind, term: string): Search {
  return {
    set: (value) => ({
      name: kind,
      sql: `select record_id from search_terms where tenant_id = $1 and term = ${value(term)} order by record_id`,
    }),
    match: (value) => {
      const given = value(term);
      return {
        name: kind,
        matches: (record) => `exists (select from ${termsOf(record)} where term = ${given})`,
        ofDeleted: true,
      };
    },
  };
}

function ownerSet(id: string): FoundSet {
  return {
    name: 'owner',
    sql: `select distinct record_id from machine_references where tenant_id = $1 and identity_id = ${id} order by record_id`,
  };
}

/** The terms of a record, which its row has as lines. */
function termsOf(record: string): string {
  return `string_to_table(${record}.search_terms, E'\\n') as own_term (term)`;
}

/**
 * Finds the records of a text by at most `most` terms: values by their beginning, and names by the word that the fewest
 * names have.
 */
export function textSet({ low, high, word, words }: TextRanges, value: Value, most: number): FoundSet {
  const ranges = `ranges as materialized (
    select * from unnest(${value(low)}::text[], ${value(high)}::text[], ${value(word)}::integer[]) as t (low, high, word))`;
  const terms = (limit: number) => `(
    select term, record_id from search_terms where tenant_id = $1 and term >= low and term < high
     order by term limit ${limit}) as found`;
  const entries = (found: string) => `entries as materialized (${found} limit ${most + 1})`;
  const set = { sql: 'select distinct record_id from entries order by record_id' };
  const isCut = `(select count(*) from entries) > ${most}`;
  if (words.length < 2) {
    return {
      ...set,
      name: 'text',
      before: [ranges, entries(`select record_id from ranges cross join lateral ${terms(most + 1)}`)],
      isCut,
    };
  }
  const sizes = (limit: number) =>
    `select word, sum(names) as names from ranges
      cross join lateral (select count(*) as names from ${terms(limit)}) as size
      where word is not null`;
  // Two steps, so that the names of a frequent word are not counted beside a rare one.
  const rarest = `few as materialized (${sizes(fewNames)} group by word having sum(names) < ${fewNames}),
    rarest as materialized (
      select word from (select * from few union all ${sizes(maxFound)} and not exists (select from few) group by word) as sizes
       order by names, word limit 1)`;
  const compared = `compared as materialized (
    select term, record_id from ranges cross join lateral ${terms(maxCompared + 1)} where word = (select word from rarest) limit ${maxCompared + 1})`;
  const named = `select record_id from compared where ${isNamed(words, value)}
    union all select record_id from ranges cross join lateral ${terms(most + 1)} where word is null`;
  return {
    ...set,
    name: isTyped(words) ? `words-${words.length}` : 'spellings',
    before: [ranges, rarest, compared, entries(named)],
    isCut: `${isCut} or (select count(*) from compared) > ${maxCompared}`,
  };
}

/** The same condition as that of the set, on a row. It binds values only where it is used. */
export function textMatch({ low, word, words }: TextRanges, value: Value): RecordMatch {
  const matches = (record: string) => {
    const conditions = low.filter((_, nth) => word[nth] === null).map((term) => `starts_with(term, ${value(term)})`);
    if (words.length > 0) conditions.push(`starts_with(term, 'w:') and ${isNamed(words, value)}`);
    return `exists (select from ${termsOf(record)} where ${conditions.join(' or ')})`;
  };
  return { name: isTyped(words) ? `text-${words.length}` : 'spelled', matches, ofDeleted: true };
}

/** The condition that the name in a term has all words. A search for each word takes a tenth of the time of a pattern. */
function isNamed(words: TextRanges['words'], value: Value): string {
  return isTyped(words)
    ? words.map(([typed]) => `strpos(' ' || substr(term, 3), ${value(` ${typed}`)}) > 0`).join(' and ')
    : `term ~ all (${value(words.map(patternOf))}::text[])`;
}

function isTyped(words: TextRanges['words']): boolean {
  return words.every((each) => each.length === 1);
}

/** Words consist of letters and digits, so nothing needs to be escaped. */
function patternOf(spellings: readonly string[]): string {
  return `[: ](${spellings.join('|')})`;
}
