import { isIP } from 'node:net';
import mysql, { type FieldPacket, type RowDataPacket } from 'mysql2/promise';
import { SourceError } from '../connector.js';
import { type Connection, connect } from './connect.js';
import { type Column, type ColumnKind, type Dialect, maxTextLength, type Session, type Target } from './session.js';

export const mysqlDialect: Dialect = {
  product: 'MySQL',
  defaultPort: 3306,
  open,
  createReader: (user) =>
    `create user ${user}_reader identified by '…'; grant select, show view on … to ${user}_reader`,
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  parameter: () => '?',
  asText: (expression) => `cast(${expression} as char)`,
  valueText: (expression, column) => `left(${plainText(expression, column)}, ${maxTextLength(column)})`,
  exactText: (expression, column) => plainText(expression, column),
  isBeyondAscii: (expression) => `${expression} regexp '[^ -~]'`,
  typed(parameter, { kind, type }) {
    if (kind === 'bytes' || kind === 'uuid_bytes') return `unhex(${parameter})`;
    // Text is compared by the collation of the column, which a cast would replace.
    return kind === 'text' ? parameter : `cast(${parameter} as ${type})`;
  },
  // A row comparison would scan the index from its beginning.
  after([first = '', second], [firstValue, secondValue]) {
    if (!firstValue) throw new Error('a position in a source requires a value');
    if (second === undefined || !secondValue) return `${first} > ${firstValue()}`;
    return `(${first} > ${firstValue()} or (${first} = ${firstValue()} and ${second} > ${secondValue()}))`;
  },
  earlier: (moment, seconds) => `${moment} - interval ${seconds} second`,
  nowOf: ({ zoned }) =>
    // A time without a zone may be local time of any zone.
    zoned ? 'utc_timestamp(6)' : 'utc_timestamp(6) + interval 14 hour',
  // Too many connections, shutdowns, lock waits and deadlocks.
  isTransient: (code) => /^(1040|1053|1205|1213|1927|PROTOCOL_CONNECTION_LOST)$/.test(code),
  isTimeout: (code) => code === '1969' || code === '3024',
};

const plainText = (expression: string, { kind, type }: Column): string => {
  if (kind === 'bytes' || kind === 'uuid_bytes') return `lower(hex(${expression}))`;
  return `cast(${type === 'bit' ? `${expression} + 0` : expression} as char)`;
};

async function open(target: Target, signal: AbortSignal): Promise<Session> {
  if (target.ssl === 'verify' && isIP(target.host) !== 0) {
    throw new SourceError(
      'ssl "verify" requires the host name of the certificate instead of an address',
      'misconfigured',
    );
  }
  const connection = await connect(target, signal);
  const client = await connection.login(() =>
    mysql.createConnection({
      host: target.host,
      port: target.port,
      database: target.database,
      user: target.user,
      password: target.password,
      charset: 'utf8mb4_general_ci',
      ...(target.ssl !== 'off' && { ssl: { ca: target.ca, verifyIdentity: target.ssl === 'verify' } }),
      // Prevents the server from requesting local files.
      flags: ['-LOCAL_FILES'],
      // Prevents generated code with column names.
      disableEval: true,
      stream: connection.socket,
      rowsAsArray: true,
      typeCast: (field) => field.string('utf8'),
    }),
  );
  return sessionOn(client, connection, target.timeoutMs);
}

function sessionOn(client: mysql.Connection, connection: Connection, timeoutMs: number): Session {
  const { answer, isLost } = connection;
  const run = (sql: string) => answer(client.query<RowDataPacket[]>(sql));
  const seconds = Math.ceil(timeoutMs / 1_000);
  const first = async (sql: string) => {
    const [[row]] = await run(sql);
    return String(row?.[0]);
  };
  let isSet = false;
  let isMariaDb = false;
  client.on('error', connection.lose);
  return {
    async rows({ sql, values }) {
      const [rows] = await answer(client.execute<RowDataPacket[][]>(sql, [...values]));
      return rows as unknown as (string | null)[][];
    },
    async columns(from) {
      const [, fields] = await answer(client.execute(`select * from ${from} limit 0`));
      return fields.map(columnOf);
    },
    async check(query) {
      const prepared = await answer(client.prepare(query));
      prepared.close();
    },
    async writes() {
      const active = isMariaDb ? 'NONE' : await first('select current_role()');
      // MariaDB includes the grants of the active role.
      const roles = active === 'NONE' ? '' : ` for current_user() using ${active}`;
      const [rows] = await run(`show grants${roles}`);
      return mysqlWrites(rows.map((row) => String(row[0])));
    },
    sideEffects: async (query) => [...new Set(query.match(withSideEffects))],
    async begin() {
      if (!isSet) {
        isMariaDb = (await first('select version()')).includes('MariaDB');
        const bound = isMariaDb ? `max_statement_time = ${seconds}` : `max_execution_time = ${timeoutMs}`;
        await run(`set session time_zone = '+00:00', lock_wait_timeout = ${seconds}, ${bound}`);
        await run('set session transaction read only');
        isSet = true;
      }
      await run('start transaction with consistent snapshot, read only');
    },
    end: async () => void (await run('commit')),
    isLost,
    close: () => connection.close(client.end()),
  };
}

const { Types } = mysql;
const unsigned = 0x20;
const ofEnum = 0x100;
const ofSet = 0x800;
/** The character set of binary values. */
const binary = 63;

const integers: readonly unknown[] = [Types.TINY, Types.SHORT, Types.INT24, Types.LONG, Types.LONGLONG, Types.YEAR];
const texts: readonly unknown[] = [
  Types.VARCHAR,
  Types.VAR_STRING,
  Types.STRING,
  Types.TINY_BLOB,
  Types.BLOB,
  Types.MEDIUM_BLOB,
  Types.LONG_BLOB,
];

/** The kind of the other types, the type to cast text to, and whether they can be ordered. */
const kinds = new Map<unknown, [ColumnKind, string, boolean]>([
  [Types.FLOAT, ['number', 'double', false]],
  [Types.DOUBLE, ['number', 'double', false]],
  [Types.BIT, ['number', 'bit', false]],
  [Types.DATE, ['date', 'date', true]],
  [Types.NEWDATE, ['date', 'date', true]],
  [Types.DATETIME, ['time', 'datetime(6)', true]],
  [Types.JSON, ['json', 'json', false]],
  [Types.GEOMETRY, ['unreadable', 'geometry', false]],
  [Types.VECTOR, ['unreadable', 'geometry', false]],
]);

function columnOf(field: FieldPacket): Column {
  const { name, flags: given, columnType, characterSet, columnLength = 0, decimals } = field;
  const flags = Number(given);
  const column = (kind: ColumnKind, type: string, orderable: boolean): Column => ({ name, kind, type, orderable });
  if (integers.includes(columnType)) return column('number', flags & unsigned ? 'unsigned' : 'signed', true);
  const known = kinds.get(columnType);
  if (known) return column(...known);
  if (columnType === Types.TIMESTAMP) return { ...column('time', 'datetime(6)', true), zoned: true };
  if (columnType === Types.DECIMAL || columnType === Types.NEWDECIMAL) {
    return column('number', `decimal(65, ${Math.min(decimals, 30)})`, true);
  }
  if (!texts.includes(columnType)) return column('text', 'char', false);
  if (flags & ofSet) return column('set', 'char', false);
  if (flags & ofEnum) return column('text', 'char', false);
  if ((field as { extendedFormat?: string }).extendedFormat === 'json') return column('json', 'char', false);
  if (characterSet !== binary) return column('text', 'char', true);
  return column(columnType === Types.STRING && columnLength === 16 ? 'uuid_bytes' : 'bytes', 'binary', true);
}

/** Maximum number of privileges in one message. */
const mostNamed = 5;

/** Privileges of a login that may only read. */
const readPrivileges = new Set(['USAGE', 'SELECT', 'SHOW VIEW', 'SHOW DATABASES']);

/**
 * Functions that lock, wait, write, or read files of the server. Stored functions need a privilege that is rejected
 * above.
 */
const withSideEffects =
  /\b(get_lock|release_lock|release_all_locks|sleep|benchmark|load_file|master_pos_wait|source_pos_wait|master_gtid_wait|wait_for_executed_gtid_set|wait_until_sql_thread_after_gtids|nextval|setval|last_insert_id|service_\w+|sys_(exec|eval|set|get))\b|:=|\bnext\s+value\s+for\b|\binto\s+(outfile|dumpfile)\b/gi;

/** Returns the privileges in `SHOW GRANTS` other than reading. */
function mysqlWrites(grants: readonly string[]): string[] {
  const found = grants.flatMap((line) => {
    const names = line.replaceAll(/`(?:[^`]|``)*`/g, '``');
    const [, privileges, rest = ''] = /^GRANT (.*?) ON (.*)$/is.exec(names) ?? [];
    // A line without privileges grants a role, whose grants are listed as well.
    if (privileges === undefined) return [];
    const refused = privileges
      .replaceAll(/\([^()]*\)/g, '')
      .split(',')
      .map((privilege) => privilege.trim().toUpperCase())
      .filter((privilege) => !readPrivileges.has(privilege));
    return / WITH GRANT OPTION\b/i.test(rest) ? [...refused, 'GRANT OPTION'] : refused;
  });
  return [...new Set(found)].slice(0, mostNamed).map((privilege) => `has the privilege ${privilege}`);
}
