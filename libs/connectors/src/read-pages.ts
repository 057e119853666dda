import type { RecordError } from '@idsync/contracts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Connector,
  type Page,
  type ReadOptions,
  type ReadRecord,
  type SourceDescription,
  SourceError,
  type SourceField,
} from './connector.js';
import { findByFullRead } from './find-by-full-read.js';
import { changed, type FileSource, requireUnchanged, type SourceFile } from './open-source-file.js';
import { IdCollector, type RepeatedIds } from './repeated-ids.js';

/** The position of an entry in a file. */
export interface Position {
  offset: number;
  line: number;
}

/**
 * The result of one entry: a record, an error, or neither if it was skipped. `next` is the position of the next entry.
 */
export interface ReadEntry {
  next: Position;
  /** The line where it begins. */
  line: number;
  record?: ReadRecord;
  error?: RecordError;
}

/** How files of a format are read. */
export interface FileFormat {
  /** Reads entries from the beginning of a file or from the `next` of one of them. */
  readEntries(file: SourceFile, from: Position, signal: AbortSignal): AsyncIterable<ReadEntry>;
  /** Discovers the fields of the first entries. */
  readFields(file: SourceFile, signal: AbortSignal): Promise<SourceField[]>;
  describe?(file: SourceFile, signal: AbortSignal): Promise<SourceDescription>;
  /** Passes the id of each entry that has one to `add`. By default the entries are read. */
  readIds?(file: SourceFile, signal: AbortSignal, add: (id: string) => void): Promise<void>;
}

export const fileBeginning: Position = { offset: 0, line: 1 };

const fileCursor = z.object({
  offset: z.int().nonnegative(),
  line: z.int().positive(),
  fingerprint: z.string(),
  /** The time as of which the rows of one id are compared. */
  now: z.iso.datetime(),
});

/** Number of entries read to discover fields. */
export const sampledEntries = 100;

/** Approximate limit of source bytes per page, so that pages of large records fit in memory. */
const pageBytes = 8 * 1024 * 1024;

/** Creates a connector for a file. An incremental read only detects an unchanged file, if its origin has versions. */
export function fileConnector(source: FileSource, format: FileFormat): Connector {
  const { describe } = format;
  const read = (options: ReadOptions) => readPages(source, format, options);
  return {
    reportsChanges: source.isUnchanged !== undefined,
    // An incremental read of a file that has changed reads all of it.
    reportsDeletions: true,
    read,
    readOne: (externalId, signal) => findByFullRead(read, externalId, signal),
    discover: (signal) => withFile(source, signal, (file) => format.readFields(file, signal)),
    ...(describe && { describe: (signal) => withFile(source, signal, (file) => describe(file, signal)) }),
  };
}

async function withFile<T>(
  source: FileSource,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
): Promise<T> {
  const file = await source.open(signal);
  try {
    return await work(file);
  } finally {
    await file.close(true);
  }
}

/**
 * Reads a file page by page. Skipped entries count towards `pageSize`, so that pages arrive regularly. One entry of
 * an id counts. The file is scanned for it first, because pages are applied while later ones are read, in any order.
 */
async function* readPages(
  source: FileSource,
  format: FileFormat,
  { since, cursor, pageSize, signal }: ReadOptions,
): AsyncGenerator<Page> {
  signal.throwIfAborted();
  if (since) {
    // Changes within a file cannot be detected, only an unchanged file.
    if (!(await source.isUnchanged?.(since, signal))) throw new CheckpointExpired('the file has changed');
    yield { records: [], errors: [], cursor: {}, fraction: 1, last: true, checkpoint: since };
    return;
  }
  const file = await source.open(signal);
  let finished = false;
  try {
    const begun = cursor ? resumeAt(file, cursor) : { at: fileBeginning, now: new Date().toISOString() };
    let { at } = begun;
    const { now } = begun;
    let pageStart = at.offset;
    let entries = 0;
    let records: ReadRecord[] = [];
    let errors: RecordError[] = [];
    const page = (last: boolean): Page => ({
      records,
      errors,
      cursor: { ...at, fingerprint: file.fingerprint, now },
      fraction: last ? 1 : Math.min(1, at.offset / file.size),
      last,
      ...(last && file.checkpoint && { checkpoint: file.checkpoint }),
    });
    const repeatedIds = await findRepeatedIds(file, format, new Date(now), signal);
    for await (const entry of format.readEntries(file, at, signal)) {
      at = entry.next;
      entries += 1;
      const { record, error } = unlessOutranked(entry, repeatedIds);
      if (record) records.push(record);
      if (error) errors.push(error);
      if (entries < pageSize && at.offset - pageStart < pageBytes) continue;
      await requireUnchanged(file);
      signal.throwIfAborted();
      yield page(false);
      pageStart = at.offset;
      entries = 0;
      records = [];
      errors = [];
    }
    await requireUnchanged(file);
    finished = true;
    yield page(true);
  } catch (error) {
    finished ||= error instanceof SourceError;
    throw error;
  } finally {
    await file.close(finished);
  }
}

async function findRepeatedIds(
  file: SourceFile,
  format: FileFormat,
  now: Date,
  signal: AbortSignal,
): Promise<RepeatedIds> {
  const ids = new IdCollector();
  const readAll = async (use: (id: string, entry: ReadEntry) => void) => {
    for await (const entry of format.readEntries(file, fileBeginning, signal)) {
      const id = idOf(entry);
      if (id !== undefined) use(id, entry);
    }
  };
  if (format.readIds) await format.readIds(file, signal, (id) => ids.add(id));
  else await readAll((id) => ids.add(id));
  const repeated = ids.repeated(now);
  if (repeated.isEmpty) return repeated;
  try {
    await readAll((id, { line, record }) => repeated.compare(id, line, record?.fields));
  } catch (error) {
    // The read reports it, after the entries before.
    if (!(error instanceof SourceError)) throw error;
  }
  return repeated;
}

/** Returns the result of an entry, or an error if another entry with the id of its record counts. */
function unlessOutranked(entry: ReadEntry, repeatedIds: RepeatedIds): Pick<ReadEntry, 'record' | 'error'> {
  const { line, record } = entry;
  if (!record) return entry;
  const { external_id } = record;
  const counting = repeatedIds.countingRow(external_id, line);
  if (counting === undefined) return entry;
  const message = `the id is listed again in line ${counting}, which is the one that counts`;
  return { error: { field: 'external_id', line, external_id, message } };
}

function idOf({ record, error }: ReadEntry): string | undefined {
  return record?.external_id ?? error?.external_id;
}

function resumeAt(file: SourceFile, cursor: NonNullable<ReadOptions['cursor']>): { at: Position; now: string } {
  const parsed = fileCursor.safeParse(cursor);
  if (!parsed.success) throw new SourceError('the cursor is not a position in a file', 'changed');
  const { fingerprint, now, ...at } = parsed.data;
  if (fingerprint !== file.fingerprint) throw changed(file);
  return { at, now };
}
