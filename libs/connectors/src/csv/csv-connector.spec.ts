import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { names, readAll, sourcesFolder } from '../../test/source-fixture.js';
import { SourceError } from '../connector.js';

const { source } = sourcesFolder();

const { signal } = new AbortController();

async function read(content: string | Uint8Array, config = {}) {
  const { records, errors } = await readAll(source('csv', content, config));
  return { names: names(records), errors };
}

describe('a CSV source', () => {
  it('reads quotes, embedded line breaks and delimiters, CRLF and LF', async () => {
    const text = 'id,name\r\n1,"a ""b"" c"\r\n2,"x\r\ny,z"\n"3",plain\n\n4,""\n';
    await expect(read(text)).resolves.toEqual({
      names: [
        ['1', 'a "b" c'],
        ['2', 'x\r\ny,z'],
        ['3', 'plain'],
        ['4', undefined],
      ],
      errors: [],
    });
  });

  it('gives the line of a row without a name, which may be the end of a report and no person', async () => {
    const text = 'id,mail,name\n1,,Ann\n2,b@x.example,\nTRAILER,,\nTRAILER,,\n';
    const fields = { email: 'mail', display_name: 'name' };
    const { records, errors } = await readAll(source('csv', text, { fields }));
    expect(records.map(({ external_id, line }) => [external_id, line])).toEqual([
      ['1', undefined],
      ['2', 3],
      ['TRAILER', 5],
    ]);
    expect(errors).toMatchObject([{ line: 4, external_id: 'TRAILER' }]);
    const keyless = source('csv', text, { fields: { 'attributes.mail': 'mail' } });
    expect((await readAll(keyless)).records.filter(({ line }) => line)).toEqual([]);
  });

  it('ignores rows of empty cells, such as a spreadsheet adds below the data', async () => {
    await expect(read('id,name\n,\n1,Ann\n,\n , \n"",""\n')).resolves.toEqual({ names: [['1', 'Ann']], errors: [] });
    const cut = await read('id,name\n1,Ann\n,');
    expect(cut.errors).toHaveLength(1);
  });

  it('reads UTF-8 with and without byte order mark, and UTF-16 with one', async () => {
    const text = 'id,name\n1,Zoë 🚀\n2,Nguyễn\n';
    const bigEndian = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    for (const content of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, 'utf16le'), bigEndian]) {
      await expect(read(content)).resolves.toEqual({
        names: [
          ['1', 'Zoë 🚀'],
          ['2', 'Nguyễn'],
        ],
        errors: [],
      });
    }
  });

  it('resumes within UTF-16', async () => {
    const connector = source('csv', Buffer.from('\ufeffid,name\n1,ä\n2,ö\n3,ü\n', 'utf16le'));
    const { pages } = await readAll(connector, 1);
    const rest = await readAll(connector, 1000, pages[0]?.cursor);
    expect(names(rest.records)).toEqual([
      ['2', 'ö'],
      ['3', 'ü'],
    ]);
  });

  it('takes other delimiters and list separators', async () => {
    const config = { delimiter: ';', list_separator: '|', fields: { groups: 'groups', departments: 'dep' } };
    const { records } = await readAll(source('csv', 'id;groups;dep\n1;a| b|;x,y\n', config));
    expect(records).toEqual([{ external_id: '1', fields: { groups: ['a', 'b'], departments: ['x,y'] } }]);
  });

  it('finds the last row of an id between delimiters of several bytes', async () => {
    const text = 'id§name\n1§a¨b\n2§c\n1§"d§e"\n';
    await expect(read(text, { delimiter: '§' })).resolves.toMatchObject({
      names: [
        ['2', 'c'],
        ['1', 'd§e'],
      ],
      errors: [
        { external_id: '1', line: 2, message: 'the id is listed again in line 4, which is the one that counts' },
      ],
    });
  });

  it('finds the last row of an id also if the first row begins with a quote', async () => {
    await expect(read('id,name\n"1",a\n2,b\n1,c\n')).resolves.toMatchObject({
      names: [
        ['2', 'b'],
        ['1', 'c'],
      ],
      errors: [{ external_id: '1', line: 2 }],
    });
  });

  it('rejects a quote or a line break as delimiter', () => {
    for (const delimiter of ['"', '\n', '\r']) {
      expect(() => source('csv', '', { delimiter })).toThrow('delimiter must not be a quote or a line break');
    }
  });

  it('reports rows with another number of columns or without a usable id by line and continues', async () => {
    const rows = ['id,name', '1,"two', 'lines"', '2', '3,a,b', '\xff,a', 'a\0b,c', ',nobody', '6,fine', ''].join('\n');
    const unusable = 'id (external_id) is not valid UTF-8, or contains a NUL character';
    await expect(read(Buffer.from(rows, 'latin1'))).resolves.toEqual({
      names: [
        ['1', 'two\nlines'],
        ['6', 'fine'],
      ],
      errors: [
        { line: 4, message: '1 columns, but the header has 2' },
        { line: 5, message: '3 columns, but the header has 2' },
        { line: 6, message: unusable },
        { line: 7, message: unusable },
        { line: 8, message: 'id (external_id) is missing' },
      ],
    });
  });

  it('leaves out a field with invalid UTF-8, NUL or another unusable value, and reports it by line', async () => {
    const rows = ['id,name,on', '1,\xff,2020-01-31', '2,a\0b,31.12.2020', '3,fine,', ''].join('\n');
    const fields = { display_name: 'name', hire_date: 'on' };
    const { records, errors } = await readAll(source('csv', Buffer.from(rows, 'latin1'), { fields }));
    const message = 'display_name is not valid UTF-8, or contains a NUL character';
    expect(errors).toEqual([]);
    expect(records).toEqual([
      {
        external_id: '1',
        fields: { hire_date: ['2020-01-31T00:00:00.000Z'] },
        problems: [{ field: 'display_name', message, line: 2 }],
      },
      {
        external_id: '2',
        fields: {},
        problems: [
          { field: 'display_name', message, line: 3 },
          {
            field: 'hire_date',
            message: 'hire_date is not a date (ISO 8601 or GeneralizedTime)',
            said: '31.12.2020',
            line: 3,
          },
        ],
      },
      { external_id: '3', fields: { display_name: ['fine'], hire_date: [] } },
    ]);
  });

  it('reports an invalid value with the id of its record', async () => {
    const config = { fields: { status: 'status' } };
    const { errors } = await readAll(source('csv', 'id,status\n1,ACTIVE\n2,retired\n', config));
    expect(errors).toEqual([
      {
        line: 3,
        external_id: '2',
        message: 'status is not one of pending, active, suspended, inactive, deleted',
        said: 'retired',
      },
    ]);
  });

  it('fails at a misplaced quote instead of losing the following rows', async () => {
    const misplaced = [
      'id,name,note\n1,"a,b\n2,c,d\n3,"e",f\n4,g,h\n',
      'id,name\n1,"Ann" Lee\n2,b\n',
      'id,name\n1,5" disk\n2,b\n',
    ];
    for (const text of misplaced) {
      await expect(read(text)).rejects.toThrow(SourceError);
      await expect(read(text)).rejects.toThrow('"source.csv" has a misplaced quote in the row of line 2');
    }
    const inManyLines = `id,name\n1,"a\r\nb\rc"\n\n${'2,x\n'.repeat(50_000)}3,x"y\n`;
    await expect(read(inManyLines)).rejects.toThrow('misplaced quote in the row of line 50006');
  });

  it('fails when quotes enclose several rows', async () => {
    const text = 'id,name,note\n0,x,y\n1,"a,b\n2,c,d"\n3,e,f\n';
    await expect(read(text)).rejects.toThrow('"source.csv" has quotes around more than one row, from line 3 on');
  });

  it('reads rows that end with only CR', async () => {
    await expect(read('id,name\r1,a\r2,"b\rc"\rbad\r3,d\r')).resolves.toEqual({
      names: [
        ['1', 'a'],
        ['2', 'b\rc'],
        ['3', 'd'],
      ],
      errors: [{ line: 5, message: '1 columns, but the header has 2' }],
    });
  });

  it('returns a complete read without records for a file with only a header', async () => {
    for (const text of ['id,name\n', 'id,name\r', '\r\n\r\nid,name\r\n\r\n']) {
      const { pages } = await readAll(source('csv', text));
      expect(pages).toMatchObject([{ records: [], errors: [], last: true, fraction: 1 }]);
    }
  });

  it('accepts a complete last row without a line break', async () => {
    await expect(read('id,name\n1,a')).resolves.toEqual({ names: [['1', 'a']], errors: [] });
    await expect(read('id,name\n1,a\n2,"b"')).resolves.toMatchObject({ errors: [], names: { length: 2 } });
  });

  it('fails for an incomplete last row only if its line break is missing', async () => {
    const error = { line: 3, message: '1 columns, but the header has 2' };
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      const text = `id,name${lineBreak}1,a${lineBreak}2${lineBreak}`;
      await expect(read(text)).resolves.toEqual({ names: [['1', 'a']], errors: [error] });
    }
    await expect(read('id,name\n1,a\n2\n3')).rejects.toThrow('it ends within the row of line 4');
  });

  it('fails for an empty file', async () => {
    for (const content of ['', '\n\n', '\ufeff', Buffer.from([0xff, 0xfe])]) {
      await expect(read(content)).rejects.toThrow('"source.csv" is empty and has no header');
    }
  });

  it('fails for a truncated file instead of deleting the missing records', async () => {
    await expect(read('id,name\n1,a\n2,"b')).rejects.toThrow('"source.csv" is truncated: it ends within quotes');
    await expect(read('id,name\n1,a\n2')).rejects.toThrow(
      '"source.csv" is truncated: it ends within the row of line 3',
    );
    await expect(read('id,name')).rejects.toThrow('"source.csv" is truncated: it ends within the header');
    await expect(read('id,"na')).rejects.toThrow('it ends within quotes');
    const text = Buffer.from('\ufeffid,name\n1,a\n', 'utf16le');
    await expect(read(text.subarray(0, text.length - 1))).rejects.toThrow('"source.csv" is not valid utf-16le');
  });

  it('fails for a missing column and reports the available ones', async () => {
    await expect(read('id,Name\n1,a\n')).rejects.toMatchObject({
      message: '"source.csv" has no column "name"',
      said: 'available columns: "id", "Name"',
    });
    await expect(read('a,b\n', { external_id: 'c' })).rejects.toMatchObject({
      message: '"source.csv" has no column "c", "name"',
      said: 'available columns: "a", "b"',
    });
  });

  it('names the first 40 available columns', async () => {
    const columns = (count: number) => Array.from({ length: count }, (_, index) => `c${index + 1}`);
    const quoted = columns(40).map((name) => `"${name}"`);
    for (const [count, end] of [
      [40, ''],
      [41, ', …'],
    ] as const) {
      await expect(read(`${columns(count).join(',')}\n`)).rejects.toMatchObject({
        said: `available columns: ${quoted.join(', ')}${end}`,
      });
    }
  });

  it('fails for duplicate column names, but not for columns without a name', async () => {
    await expect(read('id,name,"name "\n1,a,b\n')).rejects.toMatchObject({
      message: '"source.csv" has two columns with the same name',
      said: 'name',
    });
    await expect(read('id,name,,\n1,a,,\n')).resolves.toEqual({ names: [['1', 'a']], errors: [] });
  });

  it('does not confuse column names with inherited object properties', async () => {
    await expect(read('id,name\n1,a\n', { fields: { display_name: 'constructor' } })).rejects.toThrow('no column');
  });

  it('discovers its columns with up to three examples and none for secrets, independently of the mapping', async () => {
    const rows = ['7;Zoë;;s3cret;', '', '8;Zoë;one;two', `9;${'n'.repeat(90)};;;`, '10;Ann;;;x', '11;Bob;b;;'];
    const text = `id;"full; name";note;password;\n${rows.join('\n')}\n`;
    const config = { delimiter: ';', external_id: 'not there' };
    await expect(source('csv', text, config).discover?.(signal)).resolves.toEqual([
      { name: 'id', examples: ['7', '9', '10'] },
      { name: 'full; name', examples: ['Zoë', `${'n'.repeat(60)}…`, 'Ann'] },
      { name: 'note', examples: ['b'] },
      { name: 'password', examples: [] },
    ]);
    await expect(source('csv', '').discover?.(signal)).rejects.toThrow('is empty and has no header');
  });

  it('discovers its columns from its first rows only', async () => {
    const text = `id,name\n${'1,\n'.repeat(100)}2,"never closed`;
    await expect(source('csv', text).discover?.(signal)).resolves.toEqual([
      { name: 'id', examples: ['1'] },
      { name: 'name', examples: [] },
    ]);
  });

  it('fails for any row larger than 1 MiB', async () => {
    for (const filler of ['x', ',', '""']) {
      const endless = read(`id,name\n1,a\n2,"${filler === '""' ? '' : '",'}${filler.repeat(2_000_000)}`);
      await expect(endless).rejects.toThrow(SourceError);
      await expect(endless).rejects.toThrow('has a row of more than 1 MiB');
    }
  });
});

describe('reading one row of a CSV source', () => {
  it('returns the same result as a full read: the last row of the id or its error', async () => {
    const text = 'id,name,state\n1,Ann,active\n2,Bob,never\n1,Anna,active\n';
    const fields = { display_name: 'name', status: 'state' };
    expect(await expectEachAlone(source('csv', text, { fields }))).toEqual(['1', '2']);
    const found = await readOne(source('csv', text, { fields }), '1');
    expect(found).toMatchObject({ record: { fields: { display_name: ['Anna'] } } });
    expect(await readOne(source('csv', text, { fields }), '2')).toMatchObject({ error: { line: 3, external_id: '2' } });
  });

  it('fails instead of returning absent when the file is truncated or a row has no id', async () => {
    await expect(readOne(source('csv', 'id,name\n1,Ann\n2'), '3')).rejects.toThrow(SourceError);
    await expect(readOne(source('csv', 'id,name\n1,Ann\n,Bob\n'), '3')).rejects.toThrow(
      '1 record without an id could be this record',
    );
    expect(await readOne(source('csv', 'id,name\n1,Ann\n,Bob\n'), '1')).toMatchObject({ record: { external_id: '1' } });
  });
});

const pieces = fc.constantFrom('"', ',', '\n', '\r\n', '\r', ' ', ';', 'é', '\u{1f680}', '\ufeff', '\ufffd', 'x');
const cell = fc.oneof(
  fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);
const storable = cell.filter((text) => !text.includes('\0'));

/** Quotes ambiguous cells, and all cells if `always`. */
function write(rows: readonly (readonly string[])[], always: boolean, lineBreak: string): string {
  const quoted = (text: string) => (always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map(quoted).join(',') + lineBreak).join('');
}

describe('a CSV source with random content', () => {
  const table = fc.record({
    cells: fc.array(fc.tuple(storable, storable), { maxLength: 12 }),
    always: fc.boolean(),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\ufeff'),
    pageSize: fc.integer({ min: 1, max: 15 }),
  });

  it('returns the written cells trimmed, and the same records when resumed after any page', async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ cells, always, lineBreak, mark, pageSize }) => {
        const rows = [['id', 'a', 'b'], ...cells.map((pair, index) => [String(index), ...pair])];
        const config = { fields: { 'attributes.a': 'a', 'attributes.b': 'b' } };
        const connector = source('csv', mark + write(rows, always, lineBreak), config);
        const { records, errors, pages } = await readAll(connector, pageSize);
        const value = (text: string) => (text.trim() === '' ? [] : [text.trim()]);
        expect(errors).toEqual([]);
        expect(records).toEqual(
          cells.map(([a, b], index) => ({
            external_id: String(index),
            fields: { 'attributes.a': value(a), 'attributes.b': value(b) },
          })),
        );
        expect(pages.filter((page) => page.last)).toEqual(pages.slice(-1));
        let seen = 0;
        for (const page of pages) {
          expect(page.records.length).toBeLessThanOrEqual(pageSize);
          seen += page.records.length;
          const rest = await readAll(connector, pageSize, page.cursor);
          expect(rest.records).toEqual(records.slice(seen));
        }
      }),
      { numRuns: 60 },
    );
  });
});
