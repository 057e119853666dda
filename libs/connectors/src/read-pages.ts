import type { RecordError, SourceRecord } from '@idsync/contracts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Connector,
  type Page,
  type ReadOptions,
  SourceError,
  type SourceField,
} from './connector.js';
import { lookThrough } from './look-through.js';
import { changed, type FileSource, requireUnchanged, type SourceFile } from './open-source-file.js';

/** Where an entry of a file begins. */
export interface Position {
  offset: number;
  line: number;
}

/** What became of one entry of a file: a record, an error, or neither if it was skipped. `next` is where the next begins. */
export interface ReadEntry {
  next: Position;
  record?: SourceRecord;
  error?: RecordError;
}

/** Reads a file's entries from its beginning or from the `next` of one of them. */
export type EntryReader = (file: SourceFile, from: Position, signal: AbortSignal) => AsyncIterable<ReadEntry>;

/** Tells the fields of a file's first entries. */
export type FieldReader = (file: SourceFile, signal: AbortSignal) => Promise<SourceField[]>;

export const fileBeginning: Position = { offset: 0, line: 1 };

const fileCursor = z.object({ offset: z.int().nonnegative(), line: z.int().positive(), fingerprint: z.string() });

/** Entries that a look at the fields of a file is made at. */
export const sampledEntries = 100;

/** Bytes of the source behind one page, about; keeps pages of huge records out of memory. */
const pageBytes = 8 * 1024 * 1024;

/** A connector for a file. Only where it comes from somewhere that knows versions, it tells that nothing has changed. */
export function fileConnector(source: FileSource, readEntries: EntryReader, readFields: FieldReader): Connector {
  const read = (options: ReadOptions) => readPages(source, readEntries, options);
  return {
    tellsChanges: source.isUnchanged !== undefined,
    read,
    readOne: (externalId, signal) => lookThrough(read, externalId, signal),
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

/** Reads a file page by page. A page is `pageSize` entries, also if some were skipped: so no source is silent for long. */
async function* readPages(
  source: FileSource,
  readEntries: EntryReader,
  { since, cursor, pageSize, signal }: ReadOptions,
): AsyncGenerator<Page> {
  signal.throwIfAborted();
  if (since) {
    // What has changed within a file is not told; that nothing has is.
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
    let records: SourceRecord[] = [];
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
  if (!parsed.success) throw new SourceError('the place where reading was left is not one in a file');
  const { fingerprint, ...position } = parsed.data;
  if (fingerprint !== file.fingerprint) throw changed(file);
  return position;
}
