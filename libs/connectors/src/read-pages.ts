import type { RecordError } from '@idsync/contracts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Connector,
  type Page,
  type ReadOptions,
  type ReadRecord,
  SourceError,
  type SourceField,
} from './connector.js';
import { findByFullRead } from './find-by-full-read.js';
import { changed, type FileSource, requireUnchanged, type SourceFile } from './open-source-file.js';

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

/** Reads a file's entries from its beginning or from the `next` of one of them. */
export type EntryReader = (file: SourceFile, from: Position, signal: AbortSignal) => AsyncIterable<ReadEntry>;

/** Discovers the fields of the first entries of a file. */
export type FieldReader = (file: SourceFile, signal: AbortSignal) => Promise<SourceField[]>;

export const fileBeginning: Position = { offset: 0, line: 1 };

const fileCursor = z.object({ offset: z.int().nonnegative(), line: z.int().positive(), fingerprint: z.string() });

/** Number of entries read to discover fields. */
export const sampledEntries = 100;

/** Approximate limit of source bytes per page, so that pages of large records fit in memory. */
const pageBytes = 8 * 1024 * 1024;

/** Creates a connector for a file. An incremental read only detects an unchanged file, if its origin has versions. */
export function fileConnector(source: FileSource, readEntries: EntryReader, readFields: FieldReader): Connector {
  const read = (options: ReadOptions) => readPages(source, readEntries, options);
  return {
    reportsChanges: source.isUnchanged !== undefined,
    read,
    readOne: (externalId, signal) => findByFullRead(read, externalId, signal),
    async discover(signal) {
      const file = await source.open(signal);
      try {
        return await readFields(file, signal);
      } finally {
        await file.close(true);
      }
    },
  };
}

/** Reads a file page by page. Skipped entries count towards `pageSize`, so that pages arrive regularly. */
async function* readPages(
  source: FileSource,
  readEntries: EntryReader,
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
    let at = cursor ? resumeAt(file, cursor) : fileBeginning;
    let pageStart = at.offset;
    let entries = 0;
    let records: ReadRecord[] = [];
    let errors: RecordError[] = [];
    const page = (last: boolean): Page => ({
      records,
      errors,
      cursor: { ...at, fingerprint: file.fingerprint },
      fraction: last ? 1 : Math.min(1, at.offset / file.size),
      last,
      ...(last && file.checkpoint && { checkpoint: file.checkpoint }),
    });
    for await (const entry of readEntries(file, at, signal)) {
      at = entry.next;
      entries += 1;
      if (entry.record) records.push(entry.record);
      if (entry.error) errors.push(entry.error);
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

function resumeAt(file: SourceFile, cursor: NonNullable<ReadOptions['cursor']>): Position {
  const parsed = fileCursor.safeParse(cursor);
  if (!parsed.success) throw new SourceError('the cursor is not a position in a file', { code: 'changed' });
  const { fingerprint, ...position } = parsed.data;
  if (fingerprint !== file.fingerprint) throw changed(file);
  return position;
}
