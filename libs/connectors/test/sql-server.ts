import { createEmptyDatabase, eachVariant, PrivateMariaDb, PrivatePostgres } from '@idsync/testing';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { Connector } from '../src/connector.js';
import { createConnector } from '../src/create-connector.js';

/** A source database with the access of its owner. */
export interface SqlServer {
  readonly port: number;
  /** Connection settings of a connector, and the password. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly password: string;
  /** Type names of this database system. */
  readonly types: { text: string; moment: string };
  run(sql: string, values?: readonly unknown[]): Promise<void>;
  rows(sql: string): Promise<unknown[][]>;
  /** Creates a connector; with the defaults it reads a table of one or two people. */
  connector(config: object): Connector;
  close(): Promise<void>;
}

export const hasMariaDb = () => PrivateMariaDb.isInstalled();

/** Defines a suite per database system. */
export const eachDatabase = (define: Parameters<typeof eachVariant>[0]) =>
  eachVariant(define, ['PostgreSQL', 'MariaDB'], (system) => system === 'PostgreSQL' || hasMariaDb());

export const loopback = ['127.0.0.0/8', '::1/128'];

const notAskedFor = 'not asked for';

export function connectorFor(config: object, password = notAskedFor, allowedCidrs: readonly string[] = loopback) {
  return createConnector({
    type: 'sql',
    records: 'user',
    config: { ssl: 'off', external_id: 'id', fields: { display_name: 'name' }, ...config },
    secrets: { password },
    sourcesDir: '/nowhere',
    allowedCidrs,
  });
}

/** Creates a PostgreSQL role that may only read the existing and future tables of a database. */
export async function readerIn(
  run: (sql: string) => Promise<unknown>,
  database: string,
): Promise<{ user: string; password: string; drop: () => Promise<void> }> {
  const user = `reader_${database}`;
  const password = 'secret word';
  await run(`create role ${user} login password '${password}'`);
  await run('revoke create on schema public from public');
  await run(`grant select on all tables in schema public to ${user}`);
  await run(`alter default privileges grant select on tables to ${user}`);
  await run(`alter default privileges grant usage on schemas to ${user}`);
  const drop = async () => {
    await run(`drop owned by ${user}`);
    await run(`drop role ${user}`);
  };
  return { user, password, drop };
}

export async function postgresServer(): Promise<SqlServer> {
  const database = await createEmptyDatabase();
  const url = new URL(database.url);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const reader = await readerIn((sql) => client.query(sql), url.pathname.slice(1));
  const { user, password } = reader;
  const access = {
    ...{ dialect: 'postgres', host: url.hostname, port: Number(url.port || 5432) },
    ...{ database: url.pathname.slice(1), user },
  };
  return {
    port: access.port,
    access,
    password,
    types: { text: 'text', moment: 'timestamptz' },
    async run(sql, values = []) {
      const numbered = sql.split('?').reduce((before, after, number) => `${before}$${number}${after}`);
      await client.query(values.length > 0 ? numbered : sql, [...values]);
    },
    rows: async (sql) => (await client.query({ text: sql, rowMode: 'array' })).rows,
    connector: (config) => connectorFor({ ...access, ...config }, password),
    async close() {
      await reader.drop();
      await client.end();
      await database.drop();
    },
  };
}

export async function mariaDbServer(options: readonly string[] = []): Promise<SqlServer & { server: PrivateMariaDb }> {
  const server = await PrivateMariaDb.start(options);
  const client = await mysql.createConnection({
    host: '127.0.0.1',
    port: server.port,
    user: 'root',
    rowsAsArray: true,
  });
  const password = 'secret word';
  await client.query('create database people character set utf8mb4');
  await client.query(`create user reader identified by '${password}'`);
  await client.query('grant select, show view on *.* to reader');
  await client.query('use people');
  client.on('error', () => {});
  const access = { dialect: 'mysql', host: '127.0.0.1', port: server.port, database: 'people', user: 'reader' };
  return {
    server,
    port: server.port,
    access,
    password,
    types: { text: 'varchar(200)', moment: 'timestamp(6) null' },
    run: async (sql, values = []) => void (await client.query(sql, [...values])),
    rows: async (sql) => (await client.query(sql))[0] as unknown as unknown[][],
    connector: (config) => connectorFor({ ...access, ...config }, password),
    async close() {
      client.destroy();
      await server.remove();
    },
  };
}

/** Starts the server of a variant of `eachDatabase`. */
export const serverOf = (system: 'PostgreSQL' | 'MariaDB', mariaDbOptions?: readonly string[]): Promise<SqlServer> =>
  system === 'MariaDB' ? mariaDbServer(mariaDbOptions) : postgresServer();

/** A private server with a table `staff` that a test can kill and restart. */
export interface RestartableServer {
  connector: Connector;
  down(): Promise<void>;
  up(): Promise<void>;
  remove(): Promise<void>;
}

export async function restartablePostgres(count: number): Promise<RestartableServer> {
  const server = await PrivatePostgres.startEmpty();
  const url = new URL(server.serverUrl);
  const client = new pg.Client({ connectionString: server.serverUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query(`create table staff as select n as id, 'name ' || n as name from generate_series(1, ${count}) n`);
  await client.query('create index on staff (id)');
  const database = url.pathname.slice(1);
  const { user, password } = await readerIn((sql) => client.query(sql), database);
  const access = { dialect: 'postgres', host: '127.0.0.1', port: Number(url.port), database, user };
  return restartable(server, connectorFor({ ...access, table: 'staff' }, password));
}

export async function restartableMariaDb(count: number): Promise<RestartableServer> {
  const server = await PrivateMariaDb.start();
  const at = { host: '127.0.0.1', port: server.port };
  const client = await mysql.createConnection({ ...at, user: 'root', multipleStatements: true });
  client.on('error', () => {});
  const [database, user, password] = ['hr', 'reader', 'secret word'];
  await client.query(
    `create database ${database}; use ${database}; create table staff (id int primary key, name varchar(50));
     insert into staff select seq, concat('name ', seq) from seq_1_to_${count};
     create user ${user} identified by '${password}'; grant select on ${database}.* to ${user}`,
  );
  return restartable(server, connectorFor({ dialect: 'mysql', ...at, database, user, table: 'staff' }, password));
}

function restartable(
  server: { kill(): Promise<void>; up(): Promise<void>; remove(): Promise<void> },
  connector: Connector,
): RestartableServer {
  return { connector, down: () => server.kill(), up: () => server.up(), remove: () => server.remove() };
}
