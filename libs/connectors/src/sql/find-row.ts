import type { FoundRecord, ReadOptions } from '../connector.js';
import { foundIn, lookThrough, requireNamed } from '../look-through.js';
import { pageStatement } from './page-statement.js';
import { countKeyless, readEverything, readPage, type Source } from './read-rows.js';
import type { Column } from './session.js';

/** Rows that may have the text of an id somewhere; where more do, all are read. */
const mostAlike = 1_000;

/**
 * The row with this id. Where its column may have an index it is asked for by its value; that misses what is written otherwise, as
 * with blanks around it, so that only the texts of all rows prove that none is there.
 */
export async function findRow(source: Source, externalId: string, signal: AbortSignal): Promise<FoundRecord> {
  const { link, plan, config } = source;
  const column = plan.columns.find(({ name }) => name === config.external_id);
  const everything = () => lookThrough((options: ReadOptions) => readEverything(source, options), externalId, signal);
  if (!column || !['text', 'number'].includes(column.kind)) return everything();
  if (isComparable(column, externalId)) {
    const found = await among(source, column, externalId, false);
    if (found !== undefined && found !== 'absent') return found;
  }
  const found = await among(source, column, externalId, true);
  if (found === undefined) return everything();
  if (found === 'absent') requireNamed(await link.transaction((session) => countKeyless(source, session)));
  return found;
}

/** What the rows say that match; undefined if they are too many to tell. */
async function among(
  source: Source,
  column: Column,
  text: string,
  contains: boolean,
): Promise<FoundRecord | undefined> {
  const { dialect, link, plan } = source;
  const statement = pageStatement(dialect, plan, { match: { column, text, contains }, limit: mostAlike + 1 });
  const rows = await link.transaction((session) => session.rows(statement));
  if (rows.length > mostAlike) return undefined;
  return foundIn(readPage(source, rows, { source: '', rows: 0 }, undefined, mostAlike), text);
}

/** Whether the server can take the text for a value of the column; of what it cannot, it makes an error. */
function isComparable({ kind, type, orderable }: Column, text: string): boolean {
  if (!orderable) return false;
  if (type === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  return kind === 'text' || /^\d{1,4}$/.test(text) || (type !== 'int2' && /^\d{1,9}$/.test(text));
}
