// SQL by hand: the tenant and one statement in one packet.
import pg from 'pg';

/** A frequent query that returns rows: `name` makes it a prepared statement of each connection. */
export interface NamedQuery {
  name: string;
  text: string;
  values: readonly unknown[];
  /** Never runs on the read replica, because it costs as little as asking for the position of the primary. */
  isOnPrimary?: boolean;
  /** Its rows have the order of an index. Without statistics, PostgreSQL might read all rows by another index and sort them. */
  isInIndexOrder?: boolean;
  /** Timeout in the driver, by default that of the connection. */
  timeoutMs?: number;
}

/** A row as the texts that PostgreSQL sends, which are not parsed. */
export type TextRow = (string | null)[];

/** Apply to the statement that follows them. */
const readOnly = `select set_config('idsync.tenant_id', $1, true), set_config('transaction_read_only', 'on', true),
                set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`;
const readSettings = { name: 'settings-of-a-read', text: readOnly };
const orderedSettings = {
  name: 'settings-of-a-read-in-order',
  text: `${readOnly}, set_config('enable_sort', 'off', true)`,
};
/**
 * The plan of a search does not depend on its values, so each connection plans it once. PostgreSQL would plan the first
 * five executions, which few connections reach before the pool closes them.
 */
const searchSettings = {
  name: 'settings-of-a-search',
  text: `${readOnly}, set_config('plan_cache_mode', 'force_generic_plan', true)`,
};

const writeSettings = { name: 'settings-of-a-write', text: `select set_config('idsync.tenant_id', $1, true)` };

/** The parts of pg's connection that prepare and run a statement. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  parsedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: string[] }): void;
  execute(portal: object): void;
}

/** The parts of pg's query that `SingleStatement` extends. In pipeline mode pg accepts no other class. */
interface PreparedQuery {
  submit(wire: Wire): Error | null;
  handleRowDescription(message: object): void;
  handleDataRow(message: { fields: TextRow }): void;
  handleCommandComplete(message: object, wire: Wire): void;
}
type Callback = (error: Error | null, result: { rows: unknown[] }) => void;
const PreparedQuery = pg.Query as unknown as new (config: object) => PreparedQuery;

/**
 * One statement. PostgreSQL runs all statements before one Sync as one transaction, so settings and statement need
 * one packet without `begin` and `commit`, and the settings end with the Sync. Only the second statement is described:
 * messages before its description belong to the settings. After an error the connection must be closed.
 */
class SingleStatement extends PreparedQuery {
  /** Read by pg. */
  readonly query_timeout: number | undefined;
  private isDescribed = false;

  constructor(
    private readonly tenantId: string,
    { timeoutMs, isInIndexOrder: _, ...query }: NamedQuery,
    callback: Callback,
    private readonly settings: { name: string; text: string },
    /** Collects the rows as texts. */
    private readonly texts?: TextRow[],
  ) {
    super({ ...query, values: [...query.values], callback });
    this.query_timeout = timeoutMs;
  }

  override submit(wire: Wire): Error | null {
    wire.stream.cork();
    try {
      const { name, text } = this.settings;
      if (wire.parsedStatements[name] === undefined) {
        wire.parse({ name, text });
        wire.parsedStatements[name] = text;
      }
      wire.bind({ statement: name, values: [this.tenantId] });
      wire.execute({});
      return super.submit(wire);
    } finally {
      wire.stream.uncork();
    }
  }

  override handleRowDescription(message: object): void {
    this.isDescribed = true;
    if (!this.texts) super.handleRowDescription(message);
  }

  override handleDataRow(message: { fields: TextRow }): void {
    if (!this.isDescribed) return;
    if (this.texts) this.texts.push(message.fields);
    else super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, wire: Wire): void {
    if (this.isDescribed) super.handleCommandComplete(message, wire);
  }
}

/** Runs a statement that sees only rows of `tenantId` and writes nothing. */
export function readOnce<Row>(client: pg.Client, tenantId: string, query: NamedQuery): Promise<Row[]> {
  return runOnce(client, tenantId, query, settingsOf(query));
}

/** Like `readOnce`, for a statement that may write. It is committed with the packet. */
export function writeOnce<Row>(client: pg.Client, tenantId: string, query: NamedQuery): Promise<Row[]> {
  return runOnce(client, tenantId, query, writeSettings);
}

/** Runs a search that sees rows of all tenants and writes nothing. */
export function searchOnce<Row>(client: pg.Client, query: NamedQuery): Promise<Row[]> {
  return runOnce(client, '', query, searchSettings);
}

function runOnce<Row>(
  client: pg.Client,
  tenantId: string,
  query: NamedQuery,
  settings: typeof readSettings,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const done: Callback = (error, result) => (error ? reject(error) : resolve(result.rows as Row[]));
    client.query(new SingleStatement(tenantId, query, done, settings) as unknown as pg.Submittable);
  });
}

/** Like `readOnce`, for rows that are passed on as they are. */
export function readTexts(client: pg.Client, tenantId: string, query: NamedQuery): Promise<TextRow[]> {
  return new Promise((resolve, reject) => {
    const rows: TextRow[] = [];
    const done: Callback = (error) => (error ? reject(error) : resolve(rows));
    client.query(new SingleStatement(tenantId, query, done, settingsOf(query), rows) as unknown as pg.Submittable);
  });
}

function settingsOf({ isInIndexOrder }: NamedQuery): typeof readSettings {
  return isInIndexOrder ? orderedSettings : readSettings;
}
