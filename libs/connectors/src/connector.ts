import type { RecordError, SourceRecord } from '@idsync/contracts';

/** What a source says of one record. */
export type FoundRecord = { record: SourceRecord } | { error: RecordError } | 'absent';

/**
 * Where a source was left; JSON, kept in the job row in the same transaction as the batch it belongs to. Another process, of another
 * version even, takes it up: it holds no secret, and one that is not understood is a SourceError.
 */
export type Cursor = Readonly<Record<string, string | number | boolean>>;

/** One page of a source: its records in source order, the records it could not use, and where to go on. It may be empty. */
export interface Page {
  /** None of them twice. One that is in a later page again is there by what is said of it last. */
  records: SourceRecord[];
  /** An entry for each record that nothing can be made of: all others are applied, and nobody is deleted for being in here. */
  errors: RecordError[];
  /** Behind this page, and not before it: what was handed on need not come again. */
  cursor: Cursor;
  /** External ids that the source says are gone; only a read of changes can tell. One that is in `records` too is there. */
  removed?: string[];
  /** How much of the source is behind this page, 0 to 1, if the source can tell. */
  fraction?: number;
  /**
   * True on the one page that proves the enumeration complete: the source's own end was seen. After a full read whoever was in none of
   * its pages is deleted, so an answer that merely has no more in it is no proof.
   */
  last: boolean;
  /**
   * On the last page, of a source that can tell its changes: where a later read of changes takes up. It is of the time before the
   * first page, for what changes while this is read has to be told again.
   */
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
  /** Records a page, at the most. Whatever it is, the records are the same. */
  pageSize: number;
  /** Aborted on cancel and on shutdown; the read then throws the signal's reason, at once and also between two pages. */
  signal: AbortSignal;
}

/**
 * A source system. Reading throws SourceError when the source as a whole cannot be trusted (truncated, unreadable, changed); no message
 * of it shows a secret. `test/conformance` tests what is said here with any source: see "Add a connector" in CONTRIBUTING.md.
 */
export interface Connector {
  /** True if `read` can tell what has changed since a checkpoint. One that cannot throws CheckpointExpired where it is asked to. */
  readonly tellsChanges?: boolean;
  /** True if a read of changes never misses one: then everything is read only where that is asked for or needed. */
  readonly missesNothing?: boolean;
  /**
   * Ends in one page with `last`, or throws. Every wait in it is bounded, and no page is far away: the sync-worker waits ten minutes for
   * one. However it ends, also where its reader leaves early, it leaves no connection and no file open.
   */
  read(options: ReadOptions): AsyncIterable<Page>;
  /**
   * What a read of everything would say of this record now: the same record, the same error, or that it is not among those that are
   * read. `absent` only where the source itself says so; all else that keeps it from telling throws SourceError. Sources that
   * cannot be asked for one record have no `readOne`.
   */
  readOne?(externalId: string, signal: AbortSignal): Promise<FoundRecord>;
  /** What there is to map, by the first of its records; it does not depend on the mapping. */
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
