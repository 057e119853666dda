import type { RecordError, SourceRecord } from '@idsync/contracts';
import type { Connector, Cursor, Page, ReadRecord } from '../src/connector.js';

export interface Reading {
  pages: Page[];
  records: ReadRecord[];
  errors: RecordError[];
  removed: string[];
  checkpoint: Cursor | undefined;
}

interface Options {
  since?: Cursor | undefined;
  cursor?: Cursor;
  pageSize?: number;
}

const never = new AbortController().signal;

/** Reads everything, or all changes since a checkpoint. */
export async function read(connector: Connector, options: Options = {}): Promise<Reading> {
  const { pages, error } = await attempt(connector, options);
  if (error !== undefined) throw error;
  return readingOf(pages);
}

/** Collects the pages until the end or an error. */
export async function attempt(
  connector: Connector,
  { since, cursor, pageSize = 1_000 }: Options = {},
): Promise<{ pages: Page[]; error?: unknown }> {
  const pages: Page[] = [];
  const options = { pageSize, signal: never, ...(since && { since }), ...(cursor && { cursor }) };
  try {
    for await (const page of connector.read(options)) pages.push(page);
    return { pages };
  } catch (error) {
    return { pages, error };
  }
}

/** Reads with a new connector for each page, resumed from the cursor. */
export async function readInPieces(
  connector: () => Connector,
  { since, pageSize = 1_000 }: Options = {},
  between: () => Promise<unknown> = async () => undefined,
): Promise<Reading> {
  const pages: Page[] = [];
  while (!pages.at(-1)?.last) {
    const cursor: Cursor | undefined = JSON.parse(JSON.stringify(pages.at(-1)?.cursor ?? null)) ?? undefined;
    const options = { pageSize, signal: never, ...(since && { since }), ...(cursor && { cursor }) };
    for await (const page of connector().read(options)) {
      pages.push(page);
      break;
    }
    await between();
  }
  return readingOf(pages);
}

/** Returns the fields by external id after a read. An incremental read is merged into `before`. */
export function known(reading: Reading, before: ReadonlyMap<string, SourceRecord['fields']> = new Map()) {
  const after = new Map(before);
  for (const { external_id, fields } of reading.records) after.set(external_id, fields);
  for (const id of reading.removed) after.delete(id);
  return after;
}

/** Returns the last state of each record. */
export function finalRecords(pages: readonly Page[]): Record<string, SourceRecord['fields']> {
  const all = pages.flatMap(({ records }) => records).map((record) => [record.external_id, record.fields] as const);
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readingOf(pages: Page[]): Reading {
  return {
    pages,
    records: pages.flatMap((page) => page.records),
    errors: pages.flatMap((page) => page.errors),
    removed: pages.flatMap((page) => page.removed ?? []),
    checkpoint: pages.at(-1)?.checkpoint,
  };
}
