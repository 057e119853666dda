import { checkServerIdentity } from 'node:tls';
import pg from 'pg';
import { connect } from './connect.js';
import { type Column, type ColumnKind, type Dialect, maxTextLength, type Session, type Target } from './session.js';

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
  const connection = await connect(target, signal);
  const { socket, answer, isLost } = connection;
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    database: target.database,
    user: target.user,
    password: target.password,
    application_name: 'idsync',
    ssl: target.ssl !== 'off' && {
      ca: target.ca,
      checkServerIdentity: target.ssl === 'verify' ? checkServerIdentity : () => undefined,
    },
    // The driver calls `connect` on the socket, which is connected already.
    stream: () => Object.assign(socket, { connect: () => queueMicrotask(() => socket.emit('connect')) }),
    types: { getTypeParser: () => (text: string) => text },
  });
  client.on('error', connection.lose);
  // The extended protocol accepts only one statement per message, whatever the text contains.
  const run = (text: string, values: readonly string[] = []) =>
    answer(client.query<(string | null)[]>({ text, values, rowMode: 'array', queryMode: 'extended' } as never));
  await connection.login(() => client.connect());
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
    writes: async () => firstColumn(await run(writes)),
    sideEffects: (query) => postgresSideEffects(run, query),
    async begin() {
      await run('begin transaction isolation level repeatable read read only');
      await run(settings, [String(target.timeoutMs)]);
    },
    end: async () => void (await run('commit')),
    isLost,
    close: () => connection.close(client.end()),
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

type Run = (text: string, values?: readonly string[]) => Promise<{ rows: unknown }>;

/** Maximum number of findings in one message. */
const mostNamed = 5;

/**
 * Selects what the login may do other than reading, directly or by a role that it may assume. A read-only transaction
 * does not stop a privileged function, and `set_config` can assume any role of the login.
 */
const writes = `
  with roles as (
    select oid, rolname from pg_catalog.pg_roles where pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
  ), grantees as (select oid from roles union all select 0)
  select what from (
    select 1 as rank, 'is a superuser' as what from pg_catalog.pg_roles where rolname = session_user and rolsuper
    union all
    select 2, pg_catalog.format('may become %I, which may change roles, databases or replication', rolname)
      from pg_catalog.pg_roles join roles using (oid, rolname) where rolsuper or rolcreaterole or rolcreatedb or rolreplication
    union all
    select 3, pg_catalog.format('may become %I', rolname) from roles
      where rolname ~ '^pg_' and rolname not in ('pg_read_all_data', 'pg_read_all_settings', 'pg_read_all_stats',
        'pg_stat_scan_tables', 'pg_monitor', 'pg_use_reserved_connections')
    union all
    select 4, 'may create schemas in this database' from roles
      where pg_catalog.has_database_privilege(oid, pg_catalog.current_database(), 'CREATE')
    union all
    select 5, pg_catalog.format('may create objects in the schema %I', nspname) from pg_catalog.pg_namespace
      where nspname !~ '^pg_(toast|temp)' and (nspowner in (select oid from roles) or exists (
        select 1 from pg_catalog.aclexplode(nspacl) where privilege_type = 'CREATE' and grantee in (select oid from grantees)))
    union all
    select 6, pg_catalog.format('may change %s', class.oid::pg_catalog.regclass) from pg_catalog.pg_class class
      where relkind in ('r', 'v', 'm', 'S', 'f', 'p')
        and relnamespace not in ('pg_catalog'::pg_catalog.regnamespace, 'information_schema'::pg_catalog.regnamespace)
        and (relowner in (select oid from roles) or exists (
          select 1 from pg_catalog.aclexplode(relacl)
            where privilege_type <> 'SELECT' and grantee in (select oid from grantees)
              and not (relkind = 'S' and privilege_type = 'USAGE')))
    union all
    select 7, pg_catalog.format('may change %s', attrelid::pg_catalog.regclass) from pg_catalog.pg_attribute
      where attacl is not null and exists (
        select 1 from pg_catalog.aclexplode(attacl) where privilege_type <> 'SELECT' and grantee in (select oid from grantees))
  ) as found group by rank, what order by rank, what limit ${mostNamed}`;

/** Selects the volatile functions that the login may call and whose names occur in a text, except type handlers. */
const volatileNames = `
  select distinct proname::text from pg_catalog.pg_proc join pg_catalog.pg_type on pg_type.oid = prorettype
  where provolatile = 'v' and typname !~ '_handler$|^(event_)?trigger$|^internal$'
    and pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(proname::text)) > 0
    and pg_catalog.has_function_privilege(session_user, pg_proc.oid, 'EXECUTE')`;

/**
 * Returns the functions with side effects in a query: `lo_from_bytea`, `pg_advisory_lock`, `set_config`, `dblink` and
 * the like.
 */
async function postgresSideEffects(run: Run, query: string): Promise<string[]> {
  // Unicode escapes could spell any name.
  if (/u&"/i.test(query)) return ['U&"…"'];
  const names = firstColumn(await run(volatileNames, [query]));
  return names.filter((name) => isCalled(name, query));
}

const partOfName = /[\w$\u0080-\uffff]/;

/**
 * Returns whether a name is called: before a parenthesis or after a dot, or anywhere if the query contains comments.
 */
function isCalled(name: string, query: string): boolean {
  const text = query.toLowerCase();
  const word = name.replaceAll('"', '""').toLowerCase();
  const hasComments = text.includes('--') || text.includes('/*');
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (partOfName.test(text.charAt(at - 1)) || partOfName.test(text.charAt(end))) continue;
    const begin = text.charAt(at - 1) === '"' ? at - 1 : at;
    const following = text.slice(text.charAt(end) === '"' ? end + 1 : end).trimStart();
    if (hasComments || following.startsWith('(') || text.slice(0, begin).trimEnd().endsWith('.')) return true;
  }
  return false;
}

function firstColumn({ rows }: { rows: unknown }): string[] {
  return (rows as string[][]).map(([first = '']) => first);
}
