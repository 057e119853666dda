import type { RecordKind, SqlConfig } from '@idsync/contracts';
import {
  type Connector,
  quoteAll,
  type ReadOptions,
  type SourceDescription,
  SourceError,
  type SourceField,
} from '../connector.js';
import { FieldSamples, maybeSecret } from '../field-samples.js';
import { sourceNames } from '../transform.js';
import { columnValues } from './column-values.js';
import { Link } from './link.js';
import { mysqlDialect } from './mysql.js';
import { makePlan } from './page-statement.js';
import { postgres } from './postgres.js';
import { findRow, readChanges, readEverything, repeatsHours, type Source } from './read-rows.js';
import type { Dialect, Session, Target } from './session.js';

interface Access {
  secrets?: Readonly<Record<string, string>>;
  allowedCidrs?: readonly string[];
}

const dialects = { postgres, mysql: mysqlDialect };

/** Creates a connector for rows of an external database. Each page is a separate read-only transaction. */
export function sqlConnector(
  records: RecordKind,
  config: SqlConfig,
  { secrets = {}, allowedCidrs = [] }: Access,
): Connector {
  const dialect = dialects[config.dialect];
  const { host, database, user, ssl, ca } = config;
  if (!secrets.password) throw new SourceError('the secret "password" is missing', 'misconfigured');
  const login = { user, password: secrets.password, ssl, ca, timeoutMs: config.timeout_seconds * 1_000 };
  const target: Target = { ...login, host, port: config.port ?? dialect.defaultPort, database, allowedCidrs };
  const mapping = { kind: records, externalId: config.external_id, fields: config.fields };
  async function planned(link: Link): Promise<Source> {
    const plan = await link.transaction((session) => makePlan(dialect, session, config, sourceNames(config)));
    return { dialect, link, plan, config, mapping };
  }
  async function withLink<T>(signal: AbortSignal, work: (link: Link) => Promise<T>): Promise<T> {
    const link = new Link(dialect, target, signal);
    try {
      return await work(link);
    } finally {
      link.close();
    }
  }

  return {
    reportsChanges: config.changed_at !== undefined,
    async *read(options: ReadOptions) {
      options.signal.throwIfAborted();
      const link = new Link(dialect, target, options.signal);
      try {
        const source = await planned(link);
        yield* options.since ? readChanges(source, options.since, options) : readEverything(source, options);
      } finally {
        link.close();
      }
    },
    readOne: (externalId, signal) => withLink(signal, async (link) => findRow(await planned(link), externalId, signal)),
    describe: (signal) =>
      withLink(signal, (link) => link.transaction((session) => describeRows(dialect, session, config))),
    discover: (signal) =>
      withLink(signal, (link) => link.transaction((session) => discoverFields(dialect, session, config))),
  };
}

async function describeRows(dialect: Dialect, session: Session, config: SqlConfig): Promise<SourceDescription> {
  const { columns, changedAt } = await makePlan(dialect, session, config);
  const read = new Set([...sourceNames(config), config.key, config.changed_at, config.deleted]);
  const unmapped = columns.filter(({ name }) => !read.has(name)).map(({ name }) => name);
  const warnings = unmapped.length > 0 ? [`columns that are not mapped: ${quoteAll(unmapped)}`] : [];
  if (changedAt && repeatsHours(changedAt)) {
    warnings.push(
      `"${changedAt.name}" has no time zone, and clocks repeat an hour in autumn: incremental runs read one more hour of changes`,
    );
  }
  return { warnings };
}

async function discoverFields(dialect: Dialect, session: Session, config: SqlConfig): Promise<SourceField[]> {
  const { from, columns } = await makePlan(dialect, session, config);
  const readable = columns.filter(({ name, kind }) => kind !== 'unreadable' && !maybeSecret(name));
  const selected = readable.map((column) => dialect.valueText(dialect.quote(column.name), column));
  const sql = `select ${selected.join(', ') || 'null'} from ${from} limit 3`;
  const rows = await session.rows({ sql, values: [] });
  const fields = new FieldSamples();
  for (const column of columns) {
    const index = readable.indexOf(column);
    fields.add(column.name, index < 0 ? [] : rows.flatMap((row) => columnValues(column, row[index] ?? null)));
  }
  return fields.list();
}
