/** How the values of a column are read; `unreadable` ones have no text form of use. */
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
  /** What a text is cast to, to be compared with this column. */
  type: string;
  /** Of the elements of an array. */
  element?: ColumnKind;
  /** True if the server compares its values as it sorts them, and their text gives back the same value. */
  orderable: boolean;
  /** True for times that are moments, whatever the zone. */
  zoned?: boolean;
}

export interface Statement {
  sql: string;
  values: readonly string[];
}

/** One connection to a database that is read. Every wait of it is bounded, and ends with the signal it was opened with. */
export interface Session {
  /** Rows of text; whatever is selected must be text. */
  rows(statement: Statement): Promise<(string | null)[][]>;
  /** The columns of what stands after `from`. */
  columns(from: string): Promise<Column[]>;
  /** Throws unless the server takes the text for one whole statement; nothing is run. */
  check(query: string): Promise<void>;
  /** Of a read-only transaction. */
  begin(): Promise<void>;
  end(): Promise<void>;
  /** True once the server, or the network, has ended the connection. */
  isLost(): boolean;
  close(): void;
}

/** Where one system differs from the other. */
export interface Dialect {
  product: string;
  defaultPort: number;
  open(target: Target, signal: AbortSignal): Promise<Session>;
  quote(name: string): string;
  parameter(number: number): string;
  asText(expression: string): string;
  /** The text of a column, cut off where nobody wants the rest (`maxTextLength`). */
  valueText(expression: string, column: Column): string;
  /** The whole text of a column, as `typed` takes it back. */
  exactText(expression: string, column: Column): string;
  typed(parameter: string, column: Column): string;
  /** True for rows behind the one with these values, in the order of the columns. */
  after(expressions: readonly string[], values: readonly (() => string)[]): string;
  earlier(moment: string, seconds: number): string;
  /** The latest that a column can say now; what says later is a mistake. */
  nowOf(column: Column): string;
  /** True for an error after which the same may succeed a moment later. */
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

/** Characters that are fetched of one value: more than a record's field can have, and more for what holds many. */
export function maxTextLength({ kind }: Column): number {
  return kind === 'array' || kind === 'json' ? 262_144 : 16_385;
}
