import { createTestDatabase, PrivateMariaDb } from '@idsync/testing';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { Connector } from '../src/connector.js';
import { createConnector } from '../src/create-connector.js';

/** A database to be read, and what a test does to it as its owner. */
export interface SqlServer {
  readonly port: number;
  /** What a configuration says of how to get there, and its secret. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly password: string;
  /** Types, as this system calls them. */
  readonly types: { text: string; moment: string };
  run(sql: string, values?: readonly unknown[]): Promise<void>;
  rows(sql: string): Promise<unknown[][]>;
  /** Of a person or two, if nothing else is said. */
  connector(config: object): Connector;
  close(): Promise<void>;
}

export const mariaDbMissing =
  'MariaDB is not installed (mariadb-server-core): the SQL connector is not tested with MariaDB.\n';
export const hasMariaDb = () => PrivateMariaDb.isInstalled();

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

export async function postgresServer(): Promise<SqlServer> {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const access = {
    ...{ dialect: 'postgres', host: url.hostname, port: Number(url.port || 5432) },
    ...{ database: url.pathname.slice(1), user: decodeURIComponent(url.username) },
  };
  const password = decodeURIComponent(url.password) || notAskedFor;
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
  await client.query('grant all on *.* to reader');
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
