import { isIP } from 'node:net';
import mysql, { type FieldPacket, type RowDataPacket } from 'mysql2/promise';
import { SourceError } from '../connector.js';
import { answerWithin } from './answer-within.js';
import { connect } from './connect.js';
import { mysqlSideEffects, mysqlWrites } from './mysql-login.js';
import { type Column, type ColumnKind, type Dialect, maxTextLength, type Session, type Target } from './session.js';

const handshakeMs = 10_000;
/** Added to the statement timeout of the server, for a server that no longer responds. */
const graceMs = 5_000;

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
  const socket = await connect(target, signal);
  const bounds = { socket, signal, ms: target.timeoutMs + graceMs };
  try {
    const connecting = mysql.createConnection({
      host: target.host,
      port: target.port,
      database: target.database,
      user: target.user,
      password: target.password,
      charset: 'utf8mb4_general_ci',
      ...(target.ssl !== 'off' && {
        ssl: { ...(target.ca !== undefined && { ca: target.ca }), verifyIdentity: target.ssl === 'verify' },
      }),
      // Prevents the server from requesting local files.
      flags: ['-LOCAL_FILES'],
      // Prevents generated code with column names.
      disableEval: true,
      stream: socket,
      rowsAsArray: true,
      typeCast: (field) => field.string('utf8'),
    });
    const connection = await answerWithin(connecting, { ...bounds, ms: Math.min(handshakeMs, target.timeoutMs) });
    return sessionOn(connection, bounds, target.timeoutMs);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function sessionOn(
  connection: mysql.Connection,
  bounds: Parameters<typeof answerWithin>[1],
  timeoutMs: number,
): Session {
  const run = (sql: string) => answerWithin(connection.query(sql), bounds);
  const seconds = Math.ceil(timeoutMs / 1_000);
  const first = async (sql: string) => {
    const [[row]] = await answerWithin(connection.query<RowDataPacket[]>(sql), bounds);
    return String(row?.[0]);
  };
  let isSet = false;
  let isMariaDb = false;
  let lost = false;
  const lose = () => {
    lost = true;
  };
  // A running statement reports its error itself; this covers errors between statements.
  connection.on('error', lose);
  bounds.socket.on('close', lose);
  return {
    async rows({ sql, values }) {
      const [rows] = await answerWithin(connection.execute<RowDataPacket[][]>(sql, [...values]), bounds);
      return rows as unknown as (string | null)[][];
    },
    async columns(from) {
      const [, fields] = await answerWithin(connection.execute(`select * from ${from} limit 0`), bounds);
      return fields.map(columnOf);
    },
    async check(query) {
      const prepared = await answerWithin(connection.prepare(query), bounds);
      prepared.close();
    },
    async writes() {
      const active = isMariaDb ? 'NONE' : await first('select current_role()');
      // MariaDB includes the grants of the active role.
      const roles = active === 'NONE' ? '' : ` for current_user() using ${active}`;
      const [rows] = await answerWithin(connection.query<RowDataPacket[]>(`show grants${roles}`), bounds);
      return mysqlWrites(rows.map((row) => String(row[0])));
    },
    sideEffects: async (query) => mysqlSideEffects(query),
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
    isLost: () => lost,
    close() {
      const destroy = setTimeout(() => bounds.socket.destroy(), 1_000);
      connection
        .end()
        .catch(() => {})
        .finally(() => {
          clearTimeout(destroy);
          bounds.socket.destroy();
        });
    },
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

function columnOf(field: FieldPacket): Column {
  const { name, flags: given, columnType, characterSet, columnLength = 0, decimals } = field;
  const flags = Number(given);
  const column = (kind: ColumnKind, type: string, orderable: boolean): Column => ({ name, kind, type, orderable });
  if (integers.includes(columnType)) return column('number', flags & unsigned ? 'unsigned' : 'signed', true);
  switch (columnType) {
    case Types.DECIMAL:
    case Types.NEWDECIMAL:
      return column('number', `decimal(65, ${Math.min(decimals, 30)})`, true);
    case Types.FLOAT:
    case Types.DOUBLE:
      return column('number', 'double', false);
    case Types.BIT:
      return column('number', 'bit', false);
    case Types.DATE:
    case Types.NEWDATE:
      return column('date', 'date', true);
    case Types.DATETIME:
      return column('time', 'datetime(6)', true);
    case Types.TIMESTAMP:
      return { ...column('time', 'datetime(6)', true), zoned: true };
    case Types.JSON:
      return column('json', 'json', false);
    case Types.GEOMETRY:
    case Types.VECTOR:
      return column('unreadable', 'geometry', false);
    default:
  }
  if (!texts.includes(columnType)) return column('text', 'char', false);
  if (flags & ofSet) return column('set', 'char', false);
  if (flags & ofEnum) return column('text', 'char', false);
  if ((field as { extendedFormat?: string }).extendedFormat === 'json') return column('json', 'char', false);
  if (characterSet !== binary) return column('text', 'char', true);
  return column(columnType === Types.STRING && columnLength === 16 ? 'uuid_bytes' : 'bytes', 'binary', true);
}
