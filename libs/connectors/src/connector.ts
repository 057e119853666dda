import type { RecordError, SourceRecord } from '@idsync/contracts';

/** What a source says of one record. */
export type FoundRecord = { record: SourceRecord } | { error: RecordError } | 'absent';

/** Where a source was left; JSON, kept in the job row in the same transaction as the batch it belongs to. */
export type Cursor = Readonly<Record<string, string | number | boolean>>;

/** One page of a source: its records in source order, the records it could not use, and where to go on. */
export interface Page {
  records: SourceRecord[];
  errors: RecordError[];
  cursor: Cursor;
  /** External ids that the source says are gone; only a read of changes can tell. One that is in `records` too is there. */
  removed?: string[];
  /** How much of the source is behind this page, 0 to 1, if the source can tell. */
  fraction?: number;
  /** True on the one page that proves the enumeration complete: the source's own end was seen. */
  last: boolean;
  /** On the last page, of a source that can tell its changes: where a later read of changes takes up. */
  checkpoint?: Cursor;
}

/** What a source calls one of the fields of its records, and values it was seen with. */
export interface SourceField {
  name: string;
  /** At most three, shortened; never of a field that holds secrets. */
  examples: string[];
}

export interface ReadOptions {
  /** The checkpoint of an earlier read: only what has changed since is wanted. Absent: everything is. */
  since?: Cursor;
  /** Where an earlier read was left, one of changes if `since` is given; absent from the beginning. */
  cursor?: Cursor;
  /** Records a page, at the most. */
  pageSize: number;
  /** Aborted on cancel and on shutdown; the read then throws the signal's reason. */
  signal: AbortSignal;
}

/** A source system. Reading throws SourceError when the source as a whole cannot be trusted (truncated, unreadable, changed). */
export interface Connector {
  /** True if `read` can tell what has changed since a checkpoint. */
  readonly tellsChanges?: boolean;
  /** True if a read of changes never misses one: then everything is read only where that is asked for or needed. */
  readonly missesNothing?: boolean;
  read(options: ReadOptions): AsyncIterable<Page>;
  /**
   * What a read of everything would say of this record now: the same record, the same error, or that it is not among those that are
   * read. `absent` only where the source itself says so; all else that keeps it from telling throws SourceError. Sources that
   * cannot be asked for one record have no `readOne`.
   */
  readOne?(externalId: string, signal: AbortSignal): Promise<FoundRecord>;
  /** What there is to map; a connector without it shows the fields of its first records. */
  discover?(signal: AbortSignal): Promise<SourceField[]>;
}

/** The source no longer knows what has changed since the checkpoint: everything has to be read. */
export class CheckpointExpired extends Error {
  override readonly name = 'CheckpointExpired';
}

/** The source as a whole failed: the job fails, and nothing is deleted. The message is shown to people. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}
