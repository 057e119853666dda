import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAll } from '../../test/source-fixture.js';
import { hasMariaDb, mariaDbServer, postgresServer, type SqlServer } from '../../test/sql-server.js';

type Case = [type: string, literal: string, values: string[]];

/** Returns the values read from a column of a type with two rows, the second of which is NULL. */
async function valuesOf(server: SqlServer, [type, literal]: Case): Promise<string[]> {
  await server.run('drop table if exists typed');
  await server.run(`create table typed (id integer, value ${type} null)`);
  await server.run(`insert into typed values (1, ${literal}), (2, null)`);
  const { records, errors } = await readAll(server.connector({ table: 'typed', fields: { 'attributes.v': 'value' } }));
  expect(errors).toEqual([]);
  expect(records[1]).toEqual({ external_id: '2', fields: { 'attributes.v': [] } });
  return records[0]?.fields['attributes.v'] ?? [];
}

describe('values of PostgreSQL types', () => {
  let server: SqlServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server?.close());

  it.each<Case>([
    ['text', "'Zoë \u{1f680}'", ['Zoë \u{1f680}']],
    ['bigint', '9007199254740993', ['9007199254740993']],
    ['numeric', '12345678901234567890.1230', ['12345678901234567890.1230']],
    ['double precision', '0.1', ['0.1']],
    ['boolean', 'true', ['true']],
    ['boolean', 'false', ['false']],
    ['date', "'2026-02-28'", ['2026-02-28']],
    ['timestamp', "'2026-02-28 10:00:00'", ['2026-02-28T10:00:00.000Z']],
    ['timestamptz', "'2026-02-28 10:00:00.123456+05:30'", ['2026-02-28T04:30:00.123Z']],
    ['timestamptz', "'infinity'", ['infinity']],
    ['uuid', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
    ['bytea', "'\\x00ff'", ['00ff']],
    ['text[]', `array['a,b', 'c "d" \\e', null, '', 'NULL', '{}']`, ['a,b', 'c "d" \\e', 'NULL', '{}']],
    ['text[]', "'[0:1]={x,y}'", ['x', 'y']],
    ['text[]', "'{}'", []],
    ['int[]', "'{{1,2},{3,4}}'", ['1', '2', '3', '4']],
    ['boolean[]', "'{t,f}'", ['true', 'false']],
    ['timestamptz[]', "array['2026-02-28 10:00:00+01'::timestamptz]", ['2026-02-28T09:00:00.000Z']],
    ['jsonb', `'["a", 12345678901234567890, true, null]'`, ['a', '12345678901234567890', 'true']],
    ['jsonb', `'"a \\"1\\" b"'`, ['a "1" b']],
    ['jsonb', "'1.50'", ['1.50']],
    ['jsonb', "'null'", []],
    ['json', `'{"a": [1]}'`, ['{"a": [1]}']],
    ['json', `'[{"a": 1}]'`, ['[{"a": 1}]']],
    ['interval', "'1 day'", ['1 day']],
    ['inet', "'10.0.0.1'", ['10.0.0.1/32']],
  ])('are converted for a record: %s %s', async (...one) => {
    await expect(valuesOf(server, one)).resolves.toEqual(one[2]);
  });

  it('are text for types defined in the database', async () => {
    await server.run("create type mood as enum ('sad', 'ok'); create domain mail as text check (value like '%@%')");
    await expect(valuesOf(server, ['mood', "'ok'", []])).resolves.toEqual(['ok']);
    await expect(valuesOf(server, ['mood[]', "'{ok,sad}'", []])).resolves.toEqual(['ok', 'sad']);
    await expect(valuesOf(server, ['mail', "'a@b'", []])).resolves.toEqual(['a@b']);
  });

  it('of an extension type are ordered by its operators, or rejected as key if these are not visible', async () => {
    await server.run('create extension citext; create schema elsewhere; create table ci (id citext, name text)');
    for (const id of ['b', 'A', 'C', 'd']) await server.run('insert into ci values (?, ?)', [id, id]);
    const connector = server.connector({ table: 'ci' });
    expect((await readAll(connector, 1)).records.map((record) => record.external_id)).toEqual(['A', 'b', 'C', 'd']);
    await server.run('alter extension citext set schema elsewhere');
    await expect(readAll(connector, 1)).rejects.toThrow('"id" cannot be the key because of its type');
  });
});

(hasMariaDb() ? describe : describe.skip)('values of MariaDB', () => {
  let server: SqlServer;
  beforeAll(async () => {
    // Settings of the server and the user must not affect the values.
    server = await mariaDbServer(['--default-time-zone=-05:00', '--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES']);
    await server.run("set time_zone = '+00:00'");
  });
  afterAll(() => server?.close());

  it.each<Case>([
    ['varchar(20)', "'Zoë \u{1f680}'", ['Zoë \u{1f680}']],
    ['varchar(20) character set latin1', "'Zoë'", ['Zoë']],
    ['bigint unsigned', '18446744073709551615', ['18446744073709551615']],
    ['decimal(40, 4)', '12345678901234567890.1230', ['12345678901234567890.1230']],
    ['double', '0.1', ['0.1']],
    ['boolean', 'true', ['1']],
    ['bit(1)', "b'1'", ['1']],
    ['bit(1)', "b'0'", ['0']],
    ['date', "'2026-02-28'", ['2026-02-28']],
    ['date', "'0000-00-00'", []],
    ['datetime', "'0000-00-00 00:00:00'", []],
    ['datetime', "'2026-02-28 10:00:00'", ['2026-02-28T10:00:00.000Z']],
    ['timestamp(6)', "'2026-02-28 10:00:00.123456'", ['2026-02-28T10:00:00.123Z']],
    ['uuid', "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
    ['binary(16)', "x'a0eebc999c0b4ef8bb6d6bb9bd380a11'", ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
    ['varbinary(16)', "x'00ff'", ['00ff']],
    ['blob', "x'00ff'", ['00ff']],
    ["set('a', 'b', 'c')", "'c,a'", ['a', 'c']],
    ["enum('x', 'y')", "'y'", ['y']],
    ['year', '2026', ['2026']],
    ['time', "'-100:00:00'", ['-100:00:00']],
    ['json', `'["a", 12345678901234567890, true, null]'`, ['a', '12345678901234567890', 'true']],
    ['json', `'{"a": [1]}'`, ['{"a": [1]}']],
    ['inet6', "'::1'", ['::1']],
  ])('are converted for a record: %s %s', async (...one) => {
    await expect(valuesOf(server, one)).resolves.toEqual(one[2]);
  });

  it('are rejected if they have no text form and are mapped, and reported if they contain NUL', async () => {
    await expect(valuesOf(server, ['geometry', 'point(1, 2)', []])).rejects.toThrow(
      'the values of "value" cannot be read as text',
    );
    await server.run('drop table if exists typed');
    await server.run('create table typed (id integer, name varchar(9))');
    await server.run("insert into typed values (1, concat('a', char(0), 'b')), (2, 'c')");
    const { records, errors } = await readAll(server.connector({ table: 'typed' }));
    expect(records).toHaveLength(1);
    expect(errors).toEqual([{ line: 1, external_id: '1', message: '"name" contains a NUL character' }]);
  });
});
