import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { names, readAll } from '../../test/source-fixture.js';
import { eachDatabase, type SqlServer, serverOf } from '../../test/sql-server.js';
import { SourceError } from '../connector.js';

eachDatabase(describe)('a SQL source in %s', (system) => {
  let server: SqlServer;
  beforeAll(async () => {
    server = await serverOf(system);
  });
  afterAll(() => server?.close());

  /** Creates a table of people for each test. */
  async function people(rows: readonly (readonly unknown[])[], id = 'bigint', more = '') {
    await server.run('drop table if exists staff');
    await server.run(`create table staff (id ${id}, name ${server.types.text}${more})`);
    for (const row of rows) await server.run(`insert into staff (id, name) values (?, ?)`, row);
    return server.connector({ table: 'staff' });
  }

  it('is read in key order in pages of any size and resumed after any of them', async () => {
    const ids = ['9007199254740993', '-5', '12', '9007199254740992', '3', '9223372036854775807'];
    const connector = await people(ids.map((id) => [id, `n${id}`]));
    const inOrder = ['-5', '3', '12', '9007199254740992', '9007199254740993', '9223372036854775807'];
    for (const pageSize of [1, 2, 3, 5, 6, 7]) {
      const { pages, records } = await readAll(connector, pageSize);
      expect(names(records)).toEqual(inOrder.map((id) => [id, `n${id}`]));
      expect(pages.map((page) => page.last)).toEqual(pages.map((_, index) => index === pages.length - 1));
      let seen = 0;
      for (const page of pages.slice(0, -1)) {
        seen += page.records.length;
        const rest = await readAll(connector, pageSize, JSON.parse(JSON.stringify(page.cursor)));
        expect(rest.records).toEqual(records.slice(seen));
      }
    }
  });

  it('returns a complete read without records for an empty table', async () => {
    const { pages } = await readAll(await people([]));
    expect(pages).toMatchObject([{ records: [], errors: [], last: true }]);
  });

  it('supports text keys in any collation', async () => {
    const ids = [
      'a',
      'B',
      'ä',
      'z',
      'Z z',
      '_',
      '-',
      "o'b",
      'back\\slash',
      '10',
      '9',
      '\u{1f680}',
      'é',
      '%',
      '?',
      '$1',
    ];
    const collate = system === 'MariaDB' ? 'varchar(50) collate utf8mb4_bin' : 'text collate "C"';
    for (const type of ['varchar(50)', collate]) {
      const connector = await people(
        ids.filter((id) => id !== 'ä' || type === collate).map((id) => [id, id]),
        type,
      );
      const whole = names((await readAll(connector)).records);
      expect(whole).toHaveLength(type === collate ? 16 : 15);
      for (const pageSize of [1, 2, 4]) expect(names((await readAll(connector, pageSize)).records)).toEqual(whole);
    }
  });

  it('supports keys of other types', async () => {
    const types: [string, string[]][] = [
      ['numeric(30, 10)', ['-1.5', '12345678901234567890.0000000001', '12345678901234567890.0000000002']],
      ['uuid', ['00000000-0000-4000-8000-000000000001', 'f0000000-0000-1000-8000-000000000002']],
      ['date', ['1999-12-31', '2026-02-28']],
      [
        system === 'MariaDB' ? 'datetime(6)' : 'timestamp',
        ['2026-01-01 10:00:00.000001', '2026-01-01 10:00:00.000002'],
      ],
    ];
    if (system === 'MariaDB')
      types.push(['varbinary(8)', ['a', 'b']], ['bigint unsigned', ['1', '18446744073709551615']]);
    for (const [type, ids] of types) {
      const connector = await people(
        ids.map((id) => [id, id]),
        type,
      );
      const { records, pages } = await readAll(connector, 1);
      expect(pages).toHaveLength(ids.length);
      expect(records).toHaveLength(ids.length);
    }
  });

  it('loses no row with any text keys', async () => {
    // U+FFFD replaces invalid text and is rejected.
    const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }).filter((text) => !/[\0\uFFFD]/.test(text));
    const keys = fc.uniqueArray(fc.oneof(key, fc.constantFrom('a', 'A', 'á', 'ß', 'ss', 'a-b', 'ab')), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 4 }), async (ids, pageSize) => {
        await people(
          ids.map((id, index) => [id, `n${index}`]),
          'varchar(50)',
        );
        const connector = server.connector({ table: 'staff', key: 'id', external_id: 'name' });
        const alike = await readAll(connector).catch((error: Error) => error);
        if (alike instanceof Error) {
          // The error names any of the equal keys.
          expect(alike.message).toContain('is not unique');
          await expect(readAll(connector, pageSize)).rejects.toThrow('is not unique');
        } else {
          expect(alike).toMatchObject({ errors: [], records: { length: ids.length } });
          expect((await readAll(connector, pageSize)).records).toEqual(alike.records);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('fails when the server treats two keys as equal', async () => {
    const connector = await people([
      ['1', 'a'],
      ['2', 'b'],
      ['2', 'c'],
      ['3', 'd'],
    ]);
    for (const pageSize of [1, 2, 3, 4, 5]) {
      await expect(readAll(connector, pageSize)).rejects.toThrow(
        new SourceError('"id" (the key) is not unique: a value occurs twice'),
      );
    }
    if (system !== 'MariaDB') return;
    const alike = await people(
      [
        ['a', 'a'],
        ['A', 'b'],
      ],
      'varchar(9) collate utf8mb4_general_ci',
    );
    await expect(readAll(alike, 1)).rejects.toThrow('is not unique');
  });

  it('reports rows without a key and reads the others', async () => {
    const connector = await people([
      ['1', 'a'],
      [null, 'b'],
      [null, 'c'],
      ['2', 'd'],
    ]);
    for (const pageSize of [1, 9]) {
      const { records, errors, pages } = await readAll(connector, pageSize);
      expect(names(records)).toEqual([
        ['1', 'a'],
        ['2', 'd'],
      ]);
      expect(errors).toEqual([{ line: 0, message: '2 rows cannot be read: "id" (the key) is NULL' }]);
      expect((await readAll(connector, pageSize, pages[0]?.cursor)).errors).toEqual([]);
    }
  });

  it('supports an external id column other than the key', async () => {
    await people([
      ['1', 'a'],
      ['2', null],
      ['3', ''],
    ]);
    const { records, errors } = await readAll(server.connector({ table: 'staff', key: 'id', external_id: 'name' }), 1);
    expect(names(records)).toEqual([['a', 'a']]);
    expect(errors).toEqual([
      { line: 2, message: 'name (external_id) is missing' },
      { line: 3, message: 'name (external_id) is missing' },
    ]);
  });

  it('can be a view, or a query that may end in a comment', async () => {
    await people([
      ['1', 'a'],
      ['2', 'b'],
    ]);
    const query = '/* who\n is here */ with s as (select id, upper(name) as name from staff) select * from s -- ; )';
    expect(names((await readAll(server.connector({ query }), 1)).records)).toEqual([
      ['1', 'A'],
      ['2', 'B'],
    ]);
    await server.run('drop view if exists few');
    await server.run("create view few as select * from staff where name = 'b'");
    expect(names((await readAll(server.connector({ table: 'few' }))).records)).toEqual([['2', 'b']]);
    await server.run('drop view few');
  });

  it('can have any table and column names', async () => {
    const quote = (name: string) =>
      system === 'MariaDB' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
    const [table, id, name] = ['a "b`.c; drop', "select 'x", 'Näme "`$1?'];
    await server.run(`create table ${quote(table)} (${quote(id)} integer, ${quote(name)} ${server.types.text})`);
    await server.run(`insert into ${quote(table)} values (1, 'one'), (2, 'two')`);
    const connector = server.connector({ table, external_id: id, fields: { display_name: name } });
    expect(names((await readAll(connector, 1)).records)).toEqual([
      ['1', 'one'],
      ['2', 'two'],
    ]);
  });

  it('reports a missing table, and a missing column with the available ones', async () => {
    await people([]);
    await expect(readAll(server.connector({ table: 'staff', fields: { email: 'mail' } }))).rejects.toMatchObject({
      message: 'there is no column "mail"',
      said: 'available columns: "id", "name"',
    });
    await expect(readAll(server.connector({ table: 'nobody' }))).rejects.toMatchObject({
      code: 'not_found',
      said: expect.stringMatching(/nobody.*exist/),
    });
    await expect(readAll(server.connector({ table: 'staff', schema: 'elsewhere' }))).rejects.toThrow(SourceError);
  });

  it('fails when the type of the key or of the change time is not supported', async () => {
    await people([], 'bigint', ', weight double precision, since time');
    const read = (config: object) => readAll(server.connector({ table: 'staff', ...config }));
    await expect(read({ key: 'weight' })).rejects.toThrow('cannot be the key');
    await expect(read({ changed_at: 'since' })).rejects.toThrow('is not a date or time column');
  });

  it('omits rows marked as deleted', async () => {
    await people(
      [
        ['1', 'a'],
        ['2', 'b'],
        ['3', 'c'],
      ],
      'bigint',
      ', gone boolean, at date, state varchar(9)',
    );
    await server.run("update staff set gone = true, at = '2026-01-01', state = 'LEFT' where id = 2");
    await server.run("update staff set gone = false, state = 'here' where id = 3");
    for (const config of [{ deleted: 'gone' }, { deleted: 'at' }, { deleted: 'state', deleted_values: ['LEFT'] }]) {
      const { records } = await readAll(server.connector({ table: 'staff', ...config }), 1);
      expect(names(records).map(([id]) => id)).toEqual(['1', '3']);
    }
  });

  it('has its columns discovered with examples, but without values of secrets', async () => {
    await people(
      [
        ['1', 'a'],
        ['2', `b${'x'.repeat(99)}`],
        ['3', 'a'],
        ['4', 'd'],
      ],
      'bigint',
      ', password_hash varchar(9)',
    );
    await server.run("update staff set password_hash = 'xyz'");
    const fields = await server
      .connector({ table: 'staff', external_id: 'unknown' })
      .discover?.(new AbortController().signal);
    expect(fields).toEqual([
      { name: 'id', examples: ['1', '2', '3'] },
      { name: 'name', examples: ['a', `b${'x'.repeat(59)}…`] },
      { name: 'password_hash', examples: [] },
    ]);
  });

  it('names the columns that are not mapped, and deletions that incremental runs do not see', async () => {
    await people([['1', 'a']], 'bigint', `, note varchar(9), changed ${server.types.moment}, gone varchar(9)`);
    const config = { table: 'staff', changed_at: 'changed', deleted: 'gone' };
    const described = (more: object = {}) =>
      server.connector({ ...config, ...more }).describe?.(new AbortController().signal);
    await expect(described()).resolves.toEqual({
      warnings: [
        'columns that are not mapped: "note"',
        'incremental runs do not see every deleted record: only full runs detect all deletions',
      ],
    });
    await expect(described({ changed_at: undefined, deleted: undefined })).resolves.toEqual({
      warnings: ['columns that are not mapped: "note", "changed", "gone"'],
    });
  });

  it('reports a value that is too long without loading it and continues', async () => {
    const text = system === 'MariaDB' ? 'longtext' : 'text';
    await people(
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
      'bigint',
      `, note ${text}`,
    );
    await server.run("update staff set note = repeat('x', 8000000) where id = 1");
    const { records, errors } = await readAll(
      server.connector({ table: 'staff', fields: { 'attributes.note': 'note' } }),
    );
    expect(records.map((record) => record.external_id)).toEqual(['2']);
    expect(errors).toEqual([{ line: 1, external_id: '1', message: 'attributes.note is longer than 16 KiB' }]);
  });

  it('returns one row like a full read by ids of any type, and no row with a similar id', async () => {
    const numbers = await people([
      [1, 'a'],
      [12, 'b'],
      ['9007199254740993', 'c'],
    ]);
    expect(await expectEachAlone(numbers, ['2', '01', 'x', '99999999999999999999'])).toHaveLength(3);
    const texts = ['ann', 'Ben', ' padded ', "o'b", '%', '\u{1f680}', 'a,b=c'];
    const staff = await people(
      texts.map((id) => [id, `n${id}`]),
      'varchar(50)',
    );
    expect(await expectEachAlone(staff, ['ANN', 'ben', 'pad', ' padded ', 'an', ''])).toHaveLength(texts.length);
  });

  it('returns one row by a column other than the key, and no row marked as deleted', async () => {
    await people(
      [
        [1, 'ann'],
        [2, 'bob'],
        [3, 'cat'],
      ],
      'bigint',
      ', gone varchar(5)',
    );
    await server.run("update staff set gone = 'yes' where id = 2");
    const config = { table: 'staff', key: 'id', external_id: 'name', deleted: 'gone' };
    expect(await expectEachAlone(server.connector(config), ['bob', 'nobody'])).toEqual(['ann', 'cat']);
  });

  it('finds a row by the normal form of its id', async () => {
    const spellings = ['E0017\u200b', '\uff25\uff10\uff10\uff11\uff18', 'Mu\u0308ller', 'plain'];
    await people(spellings.map((id, nth) => [nth + 1, id]));
    const connector = server.connector({ table: 'staff', key: 'id', external_id: 'name' });
    expect(await expectEachAlone(connector, ['E0019', '\uff25'])).toEqual(['E0017', 'E0018', 'M\u00fcller', 'plain']);
  });

  it('fails instead of returning absent while rows without a key exist', async () => {
    const connector = await people([
      [1, 'ann'],
      [null, 'bob'],
    ]);
    await expect(readOne(connector, '3')).rejects.toThrow('1 record without an id could be this record');
    expect(await readOne(connector, '1')).toMatchObject({ record: { external_id: '1' } });
    await server.run('drop table staff');
    await expect(readOne(connector, '3')).rejects.toThrow(SourceError);
  });
});
