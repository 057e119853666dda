import { createHash } from 'node:crypto';
import { countingRows, type SqlConfig } from '@idsync/contracts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Cursor,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { findByFullRead, foundIn, requireNoUnnamed } from '../find-by-full-read.js';
import { type Mapping, mapRecord } from '../map-record.js';
import { columnValues, marksDeleted } from './column-values.js';
import type { Link } from './link.js';
import {
  keylessStatement,
  lastChangeStatement,
  orderOf,
  type Period,
  type Plan,
  pageStatement,
} from './page-statement.js';
import type { Column, Dialect, Session } from './session.js';

export interface Source {
  dialect: Dialect;
  link: Link;
  plan: Plan;
  config: SqlConfig;
  mapping: Mapping;
}

/** `key` and `changed` of the last row; `until` is the last change in the source when the read started. */
const place = z.object({
  source: z.string(),
  rows: z.int().nonnegative(),
  key: z.string().optional(),
  changed: z.string().optional(),
  until: z.string().optional(),
});
type Place = z.infer<typeof place>;

/** `changed` is empty if no row had a change time. */
const checkpoint = z.object({ source: z.string(), changed: z.string() });

/** Reads all rows with a key in key order. Omits rows marked as deleted. */
export async function* readEverything(source: Source, options: ReadOptions): AsyncGenerator<Page> {
  const { dialect, link, plan, config } = source;
  const digest = sourceDigest(config);
  let at: Place;
  let errors: Page['errors'] = [];
  if (options.cursor) {
    at = placeIn(options.cursor, digest);
  } else {
    const begin = await link.transaction(async (session) => ({
      keyless: await countKeyless(source, session),
      until: plan.changedAt && (await lastChange(session, dialect, plan, plan.changedAt, '')).moment,
    }));
    errors = keylessError(source, begin.keyless);
    at = { source: digest, rows: 0, ...(begin.until !== undefined && { until: begin.until }) };
  }
  for await (const page of readPages(source, at, undefined, options)) {
    yield { ...page, errors: [...errors, ...page.errors] };
    errors = [];
  }
}

/** Reads rows changed since the checkpoint, minus the overlap, in the order of their changes. */
export async function* readChanges(source: Source, since: Cursor, options: ReadOptions): AsyncGenerator<Page> {
  const { dialect, link, plan, config } = source;
  const { changedAt } = plan;
  const known = checkpoint.safeParse(since);
  // Unchanged rows would keep the result of the earlier mapping.
  if (!changedAt || !known.success || known.data.source !== configDigest(config)) {
    throw new CheckpointExpired('the configuration was changed since the last read');
  }
  const { changed } = known.data;
  let at: Place;
  if (options.cursor) {
    at = placeIn(options.cursor, sourceDigest(config));
  } else {
    const last = await link.transaction((session) => lastChange(session, dialect, plan, changedAt, changed));
    if (!last.isKnown) throw new CheckpointExpired('the last change that was read no longer exists');
    at = { source: sourceDigest(config), rows: 0, until: last.moment };
  }
  const until = at.until ?? '';
  // An empty `until` means that no row has a change time.
  const period = {
    until,
    ...(changed !== '' && { since: { moment: changed, overlapSeconds: overlapSeconds(config, changedAt) } }),
  };
  if (until === '') yield { records: [], errors: [], cursor: at, last: true, ...endOf(source, at) };
  else yield* readPages(source, at, period, options);
}

/** A clock repeats an hour when summer time ends, so a later time without a zone may be up to an hour smaller. */
function overlapSeconds({ overlap_seconds: seconds }: SqlConfig, changedAt: Column): number {
  return repeatsHours(changedAt) ? seconds + 3_600 : seconds;
}

export function repeatsHours({ kind, zoned }: Column): boolean {
  return kind === 'time' && !zoned;
}

async function* readPages(
  source: Source,
  begin: Place,
  period: Period | undefined,
  { pageSize, signal }: ReadOptions,
): AsyncGenerator<Page> {
  const { dialect, link, plan } = source;
  let at = begin;
  for (let last = false; !last; ) {
    const after = at.key === undefined ? undefined : period ? [at.changed ?? '', at.key] : [at.key];
    // One extra row shows whether the page is the last one and whether its last key occurs twice.
    const statement = pageStatement(dialect, plan, { period, after, limit: pageSize + 1 });
    const rows = await link.transaction((session) => session.rows(statement));
    last = rows.length <= pageSize;
    const page = readPage(source, rows, at, period, pageSize);
    at = page.at;
    signal.throwIfAborted();
    const { errors, removed } = page;
    const records = period ? await countingRecords(source, rows.slice(0, pageSize), page.records) : page.records;
    yield { records, errors, cursor: { ...at }, last, ...(period && { removed }), ...(last && endOf(source, at)) };
  }
}

/** Maximum number of rows that have the ids of one page. */
const maxRowsOfIds = 10_000;

/**
 * Returns the records of changed rows. If several rows may have one id, that of the row that counts, which may not have
 * changed: it is read as well.
 */
async function countingRecords(
  source: Source,
  changed: readonly (string | null)[][],
  records: Page['records'],
): Promise<Page['records']> {
  const { dialect, link, plan, config } = source;
  const index = plan.columns.findIndex(({ name }) => name === config.external_id);
  const column = plan.columns[index];
  if (!column || column.name === plan.key.name || !isComparable(column)) return records;
  const texts = [...new Set(changed.map((row) => row[index] ?? ''))].filter((text) => text !== '');
  if (texts.length === 0) return records;
  const statement = pageStatement(dialect, plan, { among: { column, texts }, limit: maxRowsOfIds + 1 });
  const rows = await link.transaction((session) => session.rows(statement));
  if (rows.length > maxRowsOfIds) throw new CheckpointExpired('too many rows have the ids of the changed rows');
  const all = readPage(source, rows, { source: '', rows: 0 }, undefined, maxRowsOfIds);
  const found = new Set(all.records.map(({ external_id }) => external_id));
  const others = records.filter(({ external_id }) => !found.has(external_id));
  return countingRows([...others, ...all.records], new Date()).counting;
}

function isComparable({ kind, orderable }: Column): boolean {
  return orderable && (kind === 'text' || kind === 'number');
}

function readPage(
  { plan, config, mapping }: Source,
  rows: readonly (string | null)[][],
  from: Place,
  period: Period | undefined,
  pageSize: number,
) {
  const { columns, key } = plan;
  const order = orderOf(plan, period);
  const page = { records: [] as Page['records'], errors: [] as Page['errors'], removed: [] as string[], at: from };
  const deleted = columns.findIndex(({ name }) => name === config.deleted);
  for (const [number, row] of rows.entries()) {
    const found = row.slice(columns.length, columns.length + order.length);
    const [changedText, keyText] = order.length === 2 ? found : [undefined, found[0]];
    if (keyText === null || keyText === undefined || keyText.includes('\uFFFD')) {
      throw new SourceError(`a value of "${key.name}" (the key) is not valid text`);
    }
    if (row.at(-1) !== null)
      throw new SourceError(`"${key.name}" (the key) is not unique: a value occurs twice`, { said: keyText });
    if (number === pageSize) break;
    const line = from.rows + number + 1;
    page.at = { ...from, rows: line, key: keyText, ...(changedText && { changed: changedText }) };

    const nul = row.slice(0, columns.length).findIndex((text) => text?.includes('\0'));
    const mapped = mapRecord(mapping, valuesOf(columns, row));
    const removed =
      deleted >= 0 && marksDeleted(columns[deleted] as Column, row[deleted] ?? null, config.deleted_values);
    const externalId = 'record' in mapped ? mapped.record.external_id : mapped.error.external_id;
    if (removed) {
      if (externalId !== undefined) page.removed.push(externalId);
    } else if (nul >= 0) {
      const named = externalId !== undefined && !externalId.includes('\0') && { external_id: externalId };
      page.errors.push({ line, ...named, message: `"${columns[nul]?.name}" contains a NUL character` });
    } else if ('record' in mapped) {
      page.records.push(mapped.record);
    } else {
      page.errors.push({ line, ...mapped.error });
    }
  }
  return page;
}

function valuesOf(columns: readonly Column[], row: readonly (string | null)[]) {
  return (name: string): readonly string[] => {
    const index = columns.findIndex((column) => column.name === name);
    const column = columns[index];
    return column ? columnValues(column, row[index] ?? null) : [];
  };
}

/** Maximum number of rows without a key that are counted; they are reported in one error. */
const keylessCounted = 1_000;

async function countKeyless({ dialect, plan }: Source, session: Session): Promise<number> {
  const [row] = await session.rows(keylessStatement(dialect, plan, keylessCounted));
  return Number(row?.[0]);
}

function keylessError({ plan }: Source, count: number): Page['errors'] {
  if (count === 0) return [];
  const rows = count === keylessCounted ? `${count} rows or more` : count === 1 ? 'one row' : `${count} rows`;
  return [{ line: 0, message: `${rows} cannot be read: "${plan.key.name}" (the key) is NULL` }];
}

async function lastChange(session: Session, dialect: Dialect, plan: Plan, changedAt: Column, known: string) {
  const [row] = await session.rows(lastChangeStatement(dialect, plan, changedAt, known));
  return { moment: row?.[0] ?? '', isKnown: row?.[1] === 'known' };
}

function endOf({ plan, config }: Source, at: Place): { checkpoint?: Cursor } {
  return plan.changedAt ? { checkpoint: { source: configDigest(config), changed: at.until ?? '' } } : {};
}

function placeIn(cursor: Cursor, digest: string): Place {
  const parsed = place.safeParse(cursor);
  if (!parsed.success) throw new SourceError('the cursor is not a position in a table', 'changed');
  if (parsed.data.source !== digest)
    throw new SourceError('the configuration was changed after the read was interrupted', 'changed');
  return parsed.data;
}

function sourceDigest(config: SqlConfig): string {
  const { dialect, host, port, database, schema, table, query, external_id, key = external_id, changed_at } = config;
  return digestOf([dialect, host, port, database, schema, table, query, key, changed_at]);
}

function configDigest(config: SqlConfig): string {
  const { timeout_seconds: _, overlap_seconds: __, ssl: ___, ca: ____, user: _____, ...rest } = config;
  return digestOf(rest);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

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
  if (accepts(column, externalId)) {
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
function accepts({ kind, type, orderable }: Column, text: string): boolean {
  if (!orderable) return false;
  if (type === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  return kind === 'text' || /^\d{1,4}$/.test(text) || (type !== 'int2' && /^\d{1,9}$/.test(text));
}
