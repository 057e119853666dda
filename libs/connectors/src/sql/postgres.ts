import { checkServerIdentity } from 'node:tls';
import pg from 'pg';
import { answerWithin } from './answer-within.js';
import { connect } from './connect.js';
import { postgresSideEffects, postgresWrites } from './postgres-login.js';
import { type Column, type ColumnKind, type Dialect, maxTextLength, type Session, type Target } from './session.js';

const handshakeMs = 10_000;
/** Added to the statement timeout of the server, for a server that no longer responds. */
const graceMs = 5_000;

export const postgres: Dialect = {
  product: 'PostgreSQL',
  defaultPort: 5432,
  open,
  createReader: (user) => `create role ${user}_reader login password '…'; grant select on … to ${user}_reader`,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  parameter: (number) => `$${number}`,
  asText: (expression) => `(${expression})::text`,
  valueText: (expression, column) => `left(${expression}::text, ${maxTextLength(column)})`,
  exactText: (expression) => `${expression}::text`,
  isBeyondAscii: (expression) => `${expression} ~ '[^ -~]'`,
  // A parameter takes the type of a compared column, but needs a cast in an expression.
  typed: (parameter, { kind, type }) =>
    kind === 'date' || kind === 'time' ? `${parameter}::pg_catalog.${type}` : parameter,
  after: (expressions, values) => `(${expressions.join(', ')}) > (${values.map((value) => value()).join(', ')})`,
  earlier: (moment, seconds) => `${moment} - interval '${seconds} seconds'`,
  nowOf: ({ zoned }) =>
    // A time without a zone may be local time of any zone.
    zoned ? 'now()' : `(now() at time zone 'utc') + interval '14 hours'`,
  // Connection exceptions, shutdowns, too many connections, and conflicts, by which a standby cancels queries.
  isTransient: (code) => /^(08...|57P0[123]|53300|40...)$/.test(code),
  isTimeout: (code) => code === '57014' || code === '55P03',
};

/** Settings for one transaction, because behind a pooler the next transaction may run in another session. */
const settings = `
  select set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
    set_config('idle_in_transaction_session_timeout', $1, true), set_config('client_encoding', 'UTF8', true),
    set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true), set_config('bytea_output', 'hex', true),
    set_config('extra_float_digits', '1', true), set_config('standard_conforming_strings', 'on', true)`;

async function open(target: Target, signal: AbortSignal): Promise<Session> {
  const socket = await connect(target, signal);
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    database: target.database,
    user: target.user,
    password: target.password,
    application_name: 'idsync',
    ssl: target.ssl !== 'off' && {
      ...(target.ca !== undefined && { ca: target.ca }),
      checkServerIdentity: target.ssl === 'verify' ? checkServerIdentity : () => undefined,
    },
    // The driver calls `connect` on the socket, which is connected already.
    stream: () => Object.assign(socket, { connect: () => queueMicrotask(() => socket.emit('connect')) }),
    types: { getTypeParser: () => (text: string) => text },
  });
  // A running statement reports its error itself; this covers errors between statements.
  let lost = false;
  const lose = () => {
    lost = true;
  };
  client.on('error', lose);
  socket.on('close', lose);
  const bounds = { socket, signal, ms: target.timeoutMs + graceMs };
  // The extended protocol accepts only one statement per message, whatever the text contains.
  const run = (text: string, values: readonly string[] = []) =>
    answerWithin(
      client.query<(string | null)[]>({ text, values, rowMode: 'array', queryMode: 'extended' } as never),
      bounds,
    );

  try {
    await answerWithin(client.connect(), { ...bounds, ms: Math.min(handshakeMs, target.timeoutMs) });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    rows: async ({ sql, values }) => (await run(sql, values)).rows as unknown as (string | null)[][],
    async columns(from) {
      const { fields } = await run(`select * from ${from} limit 0`);
      const oids = `{${fields.map((field) => field.dataTypeID).join(',')}}`;
      const { rows } = await run(typesOf, [oids]);
      const types = new Map((rows as unknown as (string | null)[][]).map(([oid, ...type]) => [oid, type]));
      return fields.map(({ name, dataTypeID }) => {
        const type = types.get(String(dataTypeID));
        if (!type) throw new Error(`the type of "${name}" is unknown`);
        return columnOf(name, type);
      });
    },
    async check(query) {
      await run(`prepare idsync_check as ${query}`);
      await run('deallocate idsync_check');
    },
    writes: () => postgresWrites(run),
    sideEffects: (query) => postgresSideEffects(run, query),
    async begin() {
      await run('begin transaction isolation level repeatable read read only');
      await run(settings, [String(target.timeoutMs)]);
    },
    end: async () => void (await run('commit')),
    isLost: () => lost,
    close() {
      const destroy = setTimeout(() => socket.destroy(), 1_000);
      client
        .end()
        .catch(() => {})
        .finally(() => {
          clearTimeout(destroy);
          socket.destroy();
        });
    },
  };
}

const typesOf = `
  select type.oid::text, type.typname::text, type.typcategory::text, pg_catalog.pg_type_is_visible(type.oid)::text,
    element.typname::text, element.typcategory::text
  from pg_catalog.pg_type type left join pg_catalog.pg_type element on element.oid = type.typelem
  where type.oid = any ($1::oid[])`;

const orderable = new Set(
  'int2 int4 int8 numeric text varchar bpchar name citext uuid date timestamp timestamptz'.split(' '),
);

function columnOf(name: string, described: readonly (string | null)[]): Column {
  const [type, category, isVisible, element, elementCategory] = described.map((text) => text ?? '') as [
    string,
    ...string[],
  ];
  const kind = kindOf(type, category);
  return {
    name,
    kind,
    type,
    ...(kind === 'array' && { element: kindOf(element, elementCategory) }),
    // Operators of an extension outside the search path are not found, and others with another order would be used.
    orderable: orderable.has(type) && isVisible === 'true',
    zoned: type === 'timestamptz',
  };
}

function kindOf(type = '', category = ''): ColumnKind {
  if (type === 'json' || type === 'jsonb') return 'json';
  if (type === 'bytea') return 'bytes';
  if (type === 'date') return 'date';
  if (type === 'timestamp' || type === 'timestamptz') return 'time';
  if (category === 'A') return 'array';
  if (category === 'B') return 'boolean';
  return category === 'N' || type === 'bit' ? 'number' : 'text';
}
