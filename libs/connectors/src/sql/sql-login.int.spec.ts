import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { names, readAll } from '../../test/source-fixture.js';
import { connectorFor, hasMariaDb, mariaDbServer, postgresServer, type SqlServer } from '../../test/sql-server.js';
import type { SourceError } from '../connector.js';

const password = 'secret word';
const signal = new AbortController().signal;

async function fill(server: SqlServer): Promise<void> {
  await server.run(`create table staff (id integer primary key, name ${server.types.text})`);
  await server.run("insert into staff values (1, 'Ann')");
}

/** Returns the error of a read of `staff` by this login; undefined if it succeeds. */
async function refusalOf(server: SqlServer, user: string, config: object = { table: 'staff' }) {
  const connector = connectorFor({ ...server.access, user, ...config }, password);
  return readAll(connector).then(
    () => undefined,
    // The message, which API keys may see, and then the detail for operators.
    ({ message, said }: SourceError) => `${message}\n${said ?? ''}`,
  );
}

describe('the login of a PostgreSQL source', () => {
  let server: SqlServer;
  let database: string;
  const made: string[] = [];
  const role = async (name: string, options = '') => {
    const full = `${name}_${database}`;
    await server.run(`create role ${full} login password '${password}' ${options}`);
    made.unshift(full);
    await server.run(`grant select on staff to ${full}`);
    return full;
  };
  beforeAll(async () => {
    server = await postgresServer();
    database = String(server.access.database);
    await fill(server);
  });
  afterAll(async () => {
    for (const name of made) {
      await server.run(`drop owned by ${name}`);
      await server.run(`drop role ${name}`);
    }
    await server?.close();
  });

  it.each<[string, string, (user: string) => Promise<string>, RegExp]>([
    ['a superuser', 'su', async (user) => `alter role ${user} superuser`, /the login is a superuser/],
    [
      'one that may create roles',
      'cr',
      async (user) => `alter role ${user} createrole`,
      /which may change roles, databases/,
    ],
    [
      'a member of a superuser role, also without inheritance',
      'member',
      async (user) => `alter role ${user} noinherit; grant ${await role('boss', 'superuser')} to ${user}`,
      /may become boss_/,
    ],
    [
      'a member of a role with write privileges',
      'deputy',
      async (user) => {
        const writer = await role('writer');
        return `alter role ${user} noinherit; grant insert on staff to ${writer}; grant ${writer} to ${user}`;
      },
      /may change staff/,
    ],
    [
      'a member of pg_write_all_data',
      'wad',
      async (user) => `grant pg_write_all_data to ${user}`,
      /become pg_write_all_data/,
    ],
    [
      'one that may run programs',
      'exe',
      async (user) => `grant pg_execute_server_program to ${user}`,
      /pg_execute_server/,
    ],
    [
      'one that may read files',
      'file',
      async (user) => `grant pg_read_server_files to ${user}`,
      /pg_read_server_files/,
    ],
    ['one that may insert', 'ins', async (user) => `grant insert on staff to ${user}`, /may change staff/],
    [
      'one that may update a column',
      'col',
      async (user) => `grant update (name) on staff to ${user}`,
      /may change staff/,
    ],
    [
      'one that may create tables',
      'tab',
      async (user) => `grant create on schema public to ${user}`,
      /the schema public/,
    ],
    [
      'one that may create schemas',
      'sch',
      async (user) => `grant create on database ${database} to ${user}`,
      /create schemas/,
    ],
    [
      'the owner of a table',
      'own',
      async (user) => `create table "Its Own" (); alter table "Its Own" owner to ${user}`,
      /may change "Its Own"/,
    ],
  ])('is rejected if it may write: %s', async (_, name, sql, what) => {
    const user = await role(name);
    expect(await refusalOf(server, user)).toBeUndefined();
    await server.run(await sql(user));
    const refusal = await refusalOf(server, user);
    expect(refusal).toMatch(what);
    expect(refusal).toMatch(`the login "${user}" may do more than read. `);
    expect(refusal).toMatch(/Use a login that may only read: create role .* login password '…'; grant select on … to /);
    expect(refusal).not.toContain(password);
  });

  it('is rejected if PUBLIC may write', async () => {
    const user = await role('anybody');
    await server.run('create table guests (id integer); grant insert on guests to public');
    expect(await refusalOf(server, user)).toMatch('may change guests');
    await server.run('drop table guests');
  });

  it('is accepted if it may only read, also all data', async () => {
    const user = await role('monitor');
    await server.run(`grant pg_read_all_data, pg_monitor to ${user}`);
    expect(await refusalOf(server, user)).toBeUndefined();
  });

  it('is also rejected for field discovery and for reading one record', async () => {
    const user = await role('other', 'createdb');
    const connector = connectorFor({ ...server.access, user, table: 'staff' }, password);
    await expect(connector.discover?.(signal)).rejects.toThrow('may do more than read');
    await expect(connector.readOne?.('1', signal)).rejects.toThrow('may do more than read');
  });

  it.each([
    ["select id, lo_from_bytea(0, 'x')::text as name from staff", 'lo_from_bytea'],
    ['select id, "lo_creat"(-1)::text as name from staff', 'lo_creat'],
    ['select id, pg_catalog . "lo_create" (0)::text as name from staff', 'lo_create'],
    ['select id, lo_creat/**/(-1)::text as name from staff', 'lo_creat'],
    ['select id, lo_creat--\n(-1)::text as name from staff', 'lo_creat'],
    ['select id, LO_CREAT\n(-1)::text as name from staff', 'lo_creat'],
    ["select id, name from staff limit length(lo_from_bytea(0, 'x')::text)", 'lo_from_bytea'],
    ["select id, '/*' || lo_creat(-1) || '*/' as name from staff", 'lo_creat'],
    ['select id, U&"lo\\005fcreat"(-1)::text as name from staff', 'U&"…"'],
    ["select id, set_config('role', 'postgres', false) as name from staff", 'set_config'],
    ["select id, set_config('statement_timeout', '0', false) as name from staff", 'set_config'],
    ['select id, pg_advisory_lock(1)::text as name from staff', 'pg_advisory_lock'],
    ['select id, pg_try_advisory_lock(1)::text as name from staff', 'pg_try_advisory_lock'],
    ["select id, pg_notify('a', 'b')::text as name from staff", 'pg_notify'],
    ["select id, pg_logical_emit_message(true, 'a', 'b')::text as name from staff", 'pg_logical_emit_message'],
    ["select id, query_to_xml('select lo_' || 'creat(-1)', true, true, '')::text as name from staff", 'query_to_xml'],
    ['select id, pg_sleep(9)::text as name from staff', 'pg_sleep'],
    ['select s.id, s.greet as name from staff s', 'greet'],
    ['select s.id, greet(s) as name from staff s', 'greet'],
  ])('cannot be used for a query with side effects: %s', async (query, named) => {
    const greet = "returns text language plpgsql volatile as $$ begin return 'hello'; end $$";
    await server.run(`create or replace function greet(who staff) ${greet}`);
    const message = `the query may not use "${named}", which may have side effects`;
    await expect(readAll(server.connector({ query }))).rejects.toThrow(message);
    expect(await server.rows('select oid from pg_largeobject_metadata')).toEqual([]);
    expect(
      await server.rows(
        "select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      ),
    ).toEqual([]);
  });

  it('can be used for stable and immutable functions and columns named like other functions', async () => {
    await server.run("create function full_name(name text) returns text language sql stable return 'Dr ' || name");
    const query = `select id, full_name(name) as name, now() as random, 'nextval of the system' as note from staff s`;
    expect(names((await readAll(server.connector({ query }))).records)).toEqual([['1', 'Dr Ann']]);
  });
});

(hasMariaDb() ? describe : describe.skip)('the login of a MariaDB source', () => {
  let server: Awaited<ReturnType<typeof mariaDbServer>>;
  beforeAll(async () => {
    server = await mariaDbServer();
    await fill(server);
  });
  afterAll(() => server?.close());
  const user = async (name: string) => {
    await server.run(`create user ${name} identified by '${password}'`);
    await server.run(`grant select, show view on people.* to ${name}`);
  };

  it.each([
    ['all', ['grant all on *.* to all_of_it'], 'ALL PRIVILEGES', 'all_of_it'],
    ['insert', ['grant insert on people.staff to inserter'], 'INSERT', 'inserter'],
    ['a column', ['grant update (name) on people.staff to painter'], 'UPDATE', 'painter'],
    ['files', ['grant file on *.* to filer'], 'FILE', 'filer'],
    ['functions', ['grant execute on people.* to runner'], 'EXECUTE', 'runner'],
    ['others', ['grant select on people.staff to giver with grant option'], 'GRANT OPTION', 'giver'],
    [
      'privileges of a role',
      [
        'create role writers',
        'grant delete on people.* to writers',
        'grant writers to m',
        'set default role writers for m',
      ],
      'DELETE',
      'm',
    ],
  ])('is rejected if it may write: %s', async (_, statements, privilege, name) => {
    await user(name);
    expect(await refusalOf(server, name)).toBeUndefined();
    for (const sql of statements) await server.run(sql);
    const refusal = await refusalOf(server, name);
    expect(refusal).toMatch(`the login "${name}" may do more than read. `);
    expect(refusal).toMatch(`the login has the privilege ${privilege}`);
    expect(refusal).toMatch(/grant select, show view on … to /);
  });

  it.each([
    ["select id, get_lock('a', 1) as name from staff", 'get_lock'],
    ["select id, LOAD_FILE ('/etc/passwd') as name from staff", 'LOAD_FILE'],
    ['select id, sleep/**/(9) as name from staff', 'sleep'],
    ["select id, benchmark(9, sha1('x')) as name from staff", 'benchmark'],
    ['select id, @a := 1 as name from staff', ':='],
    ["select id, sys_exec('id') as name from staff", 'sys_exec'],
  ])('cannot be used for a query with side effects: %s', async (query, named) => {
    const message = `the query may not use "${named}", which may have side effects`;
    await expect(readAll(server.connector({ query }))).rejects.toThrow(message);
  });
});
