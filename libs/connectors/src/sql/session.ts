/** How the values of a column are read; `unreadable` ones have no useful text form. */
export type ColumnKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'time'
  | 'json'
  | 'array'
  | 'set'
  | 'bytes'
  | 'uuid_bytes'
  | 'unreadable';

export interface Column {
  name: string;
  kind: ColumnKind;
  /** The type to cast text to for a comparison with this column. */
  type: string;
  /** The kind of the elements of an array. */
  element?: ColumnKind;
  /** Whether comparison and sort order agree and the text form converts back to the same value. */
  orderable: boolean;
  /** Whether times have a time zone. */
  zoned?: boolean;
}

export interface Statement {
  sql: string;
  values: readonly string[];
}

/** A connection to a source database. Every wait has a timeout and ends when the signal is aborted. */
export interface Session {
  /** Returns rows; all selected expressions must be text. */
  rows(statement: Statement): Promise<(string | null)[][]>;
  /** Returns the columns of a FROM clause. */
  columns(from: string): Promise<Column[]>;
  /** Throws unless the server accepts the text as one complete statement. Does not run it. */
  check(query: string): Promise<void>;
  /** Describes what the login may do other than reading, as sentences without subject; empty for a read-only login. */
  writes(): Promise<string[]>;
  /**
   * Returns the functions with side effects in a query, because a read-only transaction permits locks, files and large
   * objects.
   */
  sideEffects(query: string): Promise<string[]>;
  /** Starts a read-only transaction. */
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Returns whether the connection was closed by the server or the network. */
  isLost(): boolean;
  close(): void;
}

/** The differences between database systems. */
export interface Dialect {
  product: string;
  defaultPort: number;
  /** Returns the statements that create a read-only login, for messages. */
  createReader(user: string): string;
  open(target: Target, signal: AbortSignal): Promise<Session>;
  quote(name: string): string;
  parameter(number: number): string;
  asText(expression: string): string;
  /** The text of a column, truncated to `maxTextLength`. */
  valueText(expression: string, column: Column): string;
  /** The complete text of a column, which `typed` converts back. */
  exactText(expression: string, column: Column): string;
  typed(parameter: string, column: Column): string;
  /** The condition for a text with other characters than those of ASCII that can be seen. */
  isBeyondAscii(expression: string): string;
  /** The condition for rows after the one with these values in the order of the columns. */
  after(expressions: readonly string[], values: readonly (() => string)[]): string;
  earlier(moment: string, seconds: number): string;
  /** The latest plausible time in a column; later ones are clock errors. */
  nowOf(column: Column): string;
  /** Returns whether a retry may succeed after this error. */
  isTransient(code: string): boolean;
  isTimeout(code: string): boolean;
}

export interface Target {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  ssl: 'verify' | 'verify_ca' | 'off';
  ca?: string;
  allowedCidrs: readonly string[];
  timeoutMs: number;
}

/**
 * Returns the maximum number of characters read of one value: more than a record field can have, and more for lists.
 */
export function maxTextLength({ kind }: Column): number {
  return kind === 'array' || kind === 'json' ? 262_144 : 16_385;
}
