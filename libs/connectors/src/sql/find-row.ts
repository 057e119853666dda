import type { FoundRecord, ReadOptions } from '../connector.js';
import { findByFullRead, foundIn, requireNoUnnamed } from '../find-by-full-read.js';
import { pageStatement } from './page-statement.js';
import { countKeyless, readEverything, readPage, type Source } from './read-rows.js';
import type { Column } from './session.js';

/** Maximum number of rows that contain the text of an id. If there are more, all rows are read. */
const maxMatches = 1_000;

/**
 * Finds the row with this id. Compares the value first, if the column may be indexed. This misses values with other
 * spellings such as surrounding blanks, so only a search in the text of all rows proves that the row is absent. It also
 * reads the rows with other characters than ASCII, of which this id may be the normal form.
 */
export async function findRow(source: Source, externalId: string, signal: AbortSignal): Promise<FoundRecord> {
  const { link, plan, config } = source;
  const column = plan.columns.find(({ name }) => name === config.external_id);
  const everything = () =>
    findByFullRead((options: ReadOptions) => readEverything(source, options), externalId, signal);
  if (!column || !['text', 'number'].includes(column.kind)) return everything();
  if (isComparable(column, externalId)) {
    const found = await findAmong(source, column, externalId, false);
    if (found !== undefined && found !== 'absent') return found;
  }
  const found = await findAmong(source, column, externalId, true);
  if (found === undefined) return everything();
  if (found === 'absent') requireNoUnnamed(await link.transaction((session) => countKeyless(source, session)));
  return found;
}

/** Returns the result of the matching rows; undefined if there are too many. */
async function findAmong(
  source: Source,
  column: Column,
  text: string,
  contains: boolean,
): Promise<FoundRecord | undefined> {
  const { dialect, link, plan } = source;
  const statement = pageStatement(dialect, plan, { match: { column, text, contains }, limit: maxMatches + 1 });
  const rows = await link.transaction((session) => session.rows(statement));
  if (rows.length > maxMatches) return undefined;
  return foundIn(readPage(source, rows, { source: '', rows: 0 }, undefined, maxMatches), text);
}

/**
 * Returns whether the server accepts the text as a value of the column, because it rejects an invalid one with an
 * error.
 */
function isComparable({ kind, type, orderable }: Column, text: string): boolean {
  if (!orderable) return false;
  if (type === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  return kind === 'text' || /^\d{1,4}$/.test(text) || (type !== 'int2' && /^\d{1,9}$/.test(text));
}
