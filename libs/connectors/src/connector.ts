import type { RecordError, SourceErrorCode, SourceRecord } from '@idsync/contracts';

/** A field of a record whose value cannot be used. */
export interface FieldProblem {
  field: string;
  /** Names the field, and contains no value of it. */
  message: string;
  /** The value, as in RecordError. */
  said?: string;
  line?: number;
}

/** A record as a source returns it. Fields with problems are absent from `fields`. */
export interface ReadRecord extends SourceRecord {
  problems?: FieldProblem[];
  /** The id as its source writes it, if it is another text than its normal form, which is `external_id`. */
  spelling?: string;
  /** An attribute that people may have too shows a machine. The entry is one unless it is known as a person. */
  looksLikeMachine?: true;
}

/** The result of reading one record. */
export type FoundRecord = { record: ReadRecord } | { error: RecordError } | 'absent';

/**
 * The position of an interrupted read, stored as JSON in the job row in the transaction of its batch. A process of
 * another version may resume from it, so it contains no secret, and an unknown cursor is a SourceError.
 */
export type Cursor = Readonly<Record<string, string | number | boolean>>;

/**
 * One page of a source: its records in source order, the unusable records and the position after it. It may be empty.
 */
export interface Page {
  /** Of several rows with one id, `countingRows` says which counts in a full read, and the last one in an incremental read. */
  records: ReadRecord[];
  /** One entry for each unusable record. All others are applied, and no record is deleted because it is listed here. */
  errors: RecordError[];
  /** The position after this page, so that its records are not read again. */
  cursor: Cursor;
  /**
   * External ids that the source reports as deleted, in an incremental read only. A record that is also in `records`
   * exists.
   */
  removed?: string[];
  /** The fraction of the source read so far, from 0 to 1, if the source reports it. */
  fraction?: number;
  /**
   * True only on the page that proves the enumeration complete: the source itself marked its end. After a full read,
   * records that were in no page are deleted, so a response without further records is no proof.
   */
  last: boolean;
  /**
   * On the last page of a source that supports incremental reads: where the next one starts. It dates from before the
   * first page, because changes during this read have to be reported again.
   */
  checkpoint?: Cursor;
}

/** A field of the source with example values. */
export interface SourceField {
  name: string;
  /** At most three, shortened, and none for a field that may contain secrets. */
  examples: string[];
}

/** How a source is read, and what is missing in it or left out. */
export interface SourceDescription {
  encoding?: string;
  delimiter?: string;
  columns?: string[];
  /** Sentences for the operator who tests the connector. */
  warnings: string[];
}

export interface ReadOptions {
  /** The checkpoint of an earlier read, for an incremental read. A full read if absent. */
  since?: Cursor;
  /**
   * The position of an interrupted read, which was incremental if `since` is given. Starts from the beginning if
   * absent.
   */
  cursor?: Cursor;
  /** The maximum number of records per page. It does not affect which records are returned. */
  pageSize: number;
  /** Aborted on cancel and on shutdown. The read then throws the abort reason immediately, also between two pages. */
  signal: AbortSignal;
}

/**
 * A source system. Reading throws SourceError when the source as a whole cannot be trusted (truncated, unreadable,
 * changed). Messages contain no text of the source, because it may be a secret. `test/conformance` checks these rules
 * for every source: see "Add a connector" in docs/recipes.md.
 */
export interface Connector {
  /** Whether `read` supports incremental reads. Without it, a read with `since` throws CheckpointExpired. */
  readonly reportsChanges?: boolean;
  /** Whether incremental reads report every change. Full reads then run only when requested or necessary. */
  readonly reportsEveryChange?: boolean;
  /** Whether incremental reads report every deletion, or fall back to a full read if there may be one. */
  readonly reportsDeletions?: boolean;
  /**
   * Ends in one page with `last`, or throws. Every wait is bounded: the sync-worker waits at most ten minutes for a
   * page. All connections and files are closed in every case, also when the reader stops early.
   */
  read(options: ReadOptions): AsyncIterable<Page>;
  /**
   * Reads one record as a full read would return it now: the record, its error, or `absent` if it is not selected.
   * `absent` requires that the source itself reports it; any other failure throws SourceError. Sources that cannot read
   * a single record have no `readOne`.
   */
  readOne?(externalId: string, signal: AbortSignal): Promise<FoundRecord>;
  /** Describes a source that can be read, for the test of a connector. */
  describe?(signal: AbortSignal): Promise<SourceDescription>;
  /** Discovers the fields of the first records, independently of the mapping. */
  discover?(signal: AbortSignal): Promise<SourceField[]>;
}

/** The source can no longer report the changes since the checkpoint, so a full read is necessary. */
export class CheckpointExpired extends Error {
  override readonly name = 'CheckpointExpired';
}

export interface SourceErrorDetails {
  code?: SourceErrorCode | undefined;
  said?: string | undefined;
  /** The source was unreachable, closed the connection or is restarting, so a retry may succeed. */
  transient?: boolean | undefined;
  cause?: unknown;
}

/**
 * The source as a whole failed: the job fails, and nothing is deleted. Everyone who may see the job sees the message,
 * so it contains only fixed text and known values such as a configured host or a number. Text of the source goes into
 * `said`, which is shown to operators after `guarded` has redacted it.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  readonly said: string | undefined;
  readonly transient: boolean;

  constructor(message: string, given: SourceErrorCode | SourceErrorDetails = {}) {
    const details = typeof given === 'string' ? { code: given } : given;
    const { code = 'bad_answer', said, transient = false, cause }: SourceErrorDetails = details;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.said = said;
    this.transient = transient;
  }
}

/** Divides a record into what the directory applies and the errors of its fields. */
export function divideRecord({ problems = [], looksLikeMachine: _, spelling: __, ...record }: ReadRecord): {
  record: SourceRecord;
  errors: RecordError[];
} {
  if (problems.length === 0) return { record, errors: [] };
  return {
    record: { ...record, kept: problems.map(({ field }) => field) },
    errors: problems.map((problem) => ({ external_id: record.external_id, ...problem })),
  };
}

/** Lists names of a source in a text for operators, with at most 40 of them. */
export function quoteAll(names: Iterable<string>): string {
  const all = [...new Set(names)].map((name) => `"${name}"`);
  return all.length > 40 ? `${all.slice(0, 40).join(', ')}, …` : all.join(', ');
}
