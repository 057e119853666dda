import type { RecordError, SourceRecord } from '@idsync/contracts';

/** Where a source was left; JSON, kept in the job row in the same transaction as the batch it belongs to. */
export type Cursor = Readonly<Record<string, string | number | boolean>>;

/** One page of a source: its records in source order, the records it could not use, and where to go on. */
export interface Page {
  records: SourceRecord[];
  errors: RecordError[];
  cursor: Cursor;
  /** How much of the source is behind this page, 0 to 1, if the source can tell. */
  fraction?: number;
  /** True on the one page that proves the enumeration complete: the source's own end was seen. */
  last: boolean;
}

export interface ReadOptions {
  /** Where an earlier read was left; absent from the beginning. */
  cursor?: Cursor;
  /** Records a page, at the most. */
  pageSize: number;
  /** Aborted on cancel and on shutdown; the read then throws the signal's reason. */
  signal: AbortSignal;
}

/** A source system. Reading throws SourceError when the source as a whole cannot be trusted (truncated, unreadable, changed). */
export interface Connector {
  read(options: ReadOptions): AsyncIterable<Page>;
}

/** The source as a whole failed: the job fails, and nothing is deleted. The message is shown to people. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}
