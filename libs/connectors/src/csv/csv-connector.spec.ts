import { describe, expect, it } from '@jest/globals';
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

  it('refuses a delimiter that cannot be told from quotes and line breaks', () => {
    for (const delimiter of ['"', '\n', '\r']) {
      expect(() => source('csv', '', { delimiter })).toThrow('delimiter must not be a quote or a line break');
    }
  });

  it('reports rows of another width, of invalid UTF-8 or with NUL by their line, and goes on', async () => {
    const rows = ['id,name', '1,"two', 'lines"', '2', '3,a,b', '4,\xff', '5,a\0b', ',nobody', '6,fine', ''].join('\n');
    const unusable = 'not valid UTF-8, or contains a NUL character';
    await expect(read(Buffer.from(rows, 'latin1'))).resolves.toEqual({
      names: [
        ['1', 'two\nlines'],
        ['6', 'fine'],
      ],
      errors: [
        { line: 4, message: '1 columns where the header has 2' },
        { line: 5, message: '3 columns where the header has 2' },
        { line: 6, message: unusable },
        { line: 7, message: unusable },
        { line: 8, message: 'id (external_id) is missing' },
      ],
    });
  });

  it('reports a value that its field cannot take with the id of its record', async () => {
    const config = { fields: { status: 'status' } };
    const { errors } = await readAll(source('csv', 'id,status\n1,ACTIVE\n2,retired\n', config));
    expect(errors).toEqual([
      {
        line: 3,
        external_id: '2',
        message: 'status "retired" is not one of pending, active, suspended, inactive, deleted',
      },
    ]);
  });

  it('fails at a misplaced quote, instead of losing the rows behind it', async () => {
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

  it('fails where quotes took in rows, which shows by the columns', async () => {
    const text = 'id,name,note\n0,x,y\n1,"a,b\n2,c,d"\n3,e,f\n';
    await expect(read(text)).rejects.toThrow('"source.csv" has quotes around more than one row, from line 3 on');
  });

  it('reads rows that end in CR alone', async () => {
    await expect(read('id,name\r1,a\r2,"b\rc"\rbad\r3,d\r')).resolves.toEqual({
      names: [
        ['1', 'a'],
        ['2', 'b\rc'],
        ['3', 'd'],
      ],
      errors: [{ line: 5, message: '1 columns where the header has 2' }],
    });
  });

  it('is complete with no record where there is only a header', async () => {
    for (const text of ['id,name\n', 'id,name\r', '\r\n\r\nid,name\r\n\r\n']) {
      const { pages } = await readAll(source('csv', text));
      expect(pages).toMatchObject([{ records: [], errors: [], last: true, fraction: 1 }]);
    }
  });

  it('accepts a complete last row without line break', async () => {
    await expect(read('id,name\n1,a')).resolves.toEqual({ names: [['1', 'a']], errors: [] });
    await expect(read('id,name\n1,a\n2,"b"')).resolves.toMatchObject({ errors: [], names: { length: 2 } });
  });

  it('tells a last row of another width from one that is cut off by its line break', async () => {
    const error = { line: 3, message: '1 columns where the header has 2' };
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      const text = `id,name${lineBreak}1,a${lineBreak}2${lineBreak}`;
      await expect(read(text)).resolves.toEqual({ names: [['1', 'a']], errors: [error] });
    }
    await expect(read('id,name\n1,a\n2\n3')).rejects.toThrow('it ends within the row of line 4');
  });

  it('fails where the file is empty', async () => {
    for (const content of ['', '\n\n', '\ufeff', Buffer.from([0xff, 0xfe])]) {
      await expect(read(content)).rejects.toThrow('"source.csv" is empty: not even a header');
    }
  });

  it('fails where the file is cut off, instead of taking the rest for deleted', async () => {
    await expect(read('id,name\n1,a\n2,"b')).rejects.toThrow('"source.csv" is cut off: it ends within quotes');
    await expect(read('id,name\n1,a\n2')).rejects.toThrow('"source.csv" is cut off: it ends within the row of line 3');
    await expect(read('id,name')).rejects.toThrow('"source.csv" is cut off: it ends within the header');
    await expect(read('id,"na')).rejects.toThrow('it ends within quotes');
    const text = Buffer.from('\ufeffid,name\n1,a\n', 'utf16le');
    await expect(read(text.subarray(0, text.length - 1))).rejects.toThrow('"source.csv" is not valid utf-16le');
  });

  it('fails where a column is missing, and says which there are', async () => {
    await expect(read('id,Name\n1,a\n')).rejects.toThrow('"source.csv" has no column "name"; there are "id", "Name"');
    await expect(read('a,b\n', { external_id: 'c' })).rejects.toThrow('has no column "c", "name"; there are "a", "b"');
  });

  it('fails where two columns have one name, but not for columns without', async () => {
    await expect(read('id,name,"name "\n1,a,b\n')).rejects.toThrow('"source.csv" has two columns named "name"');
    await expect(read('id,name,,\n1,a,,\n')).resolves.toEqual({ names: [['1', 'a']], errors: [] });
  });

  it('takes no column for one of the same name as what every object has', async () => {
    await expect(read('id,name\n1,a\n', { fields: { display_name: 'constructor' } })).rejects.toThrow('no column');
  });

  it('tells its columns with up to three examples, none of a secret, whatever the mapping is', async () => {
    const rows = ['7;Zoë;;s3cret;', '', '8;Zoë;one;two', `9;${'n'.repeat(90)};;;`, '10;Ann;;;x', '11;Bob;b;;'];
    const text = `id;"full; name";note;password;\n${rows.join('\n')}\n`;
    const config = { delimiter: ';', external_id: 'not there' };
    await expect(source('csv', text, config).discover?.(signal)).resolves.toEqual([
      { name: 'id', examples: ['7', '9', '10'] },
      { name: 'full; name', examples: ['Zoë', `${'n'.repeat(60)}…`, 'Ann'] },
      { name: 'note', examples: ['b'] },
      { name: 'password', examples: [] },
    ]);
    await expect(source('csv', '').discover?.(signal)).rejects.toThrow('is empty: not even a header');
  });

  it('tells its columns by its first rows only', async () => {
    const text = `id,name\n${'1,\n'.repeat(100)}2,"never closed`;
    await expect(source('csv', text).discover?.(signal)).resolves.toEqual([
      { name: 'id', examples: ['1'] },
      { name: 'name', examples: [] },
    ]);
  });

  it('fails where one row is larger than a row can be, however it got so', async () => {
    for (const filler of ['x', ',', '""']) {
      const endless = read(`id,name\n1,a\n2,"${filler === '""' ? '' : '",'}${filler.repeat(2_000_000)}`);
      await expect(endless).rejects.toThrow(SourceError);
      await expect(endless).rejects.toThrow('has a row of more than 1 MiB');
    }
  });
});

describe('one row of a CSV source', () => {
  it('is what a read of everything gives: the last of its id, or what is wrong with it', async () => {
    const text = 'id,name,on\n1,Ann,2020-01-01\n2,Bob,never\n1,Anna,2020-01-02\n';
    const fields = { display_name: 'name', hire_date: 'on' };
    expect(await expectEachAlone(source('csv', text, { fields }))).toEqual(['2', '1']);
    const found = await readOne(source('csv', text, { fields }), '1');
    expect(found).toMatchObject({ record: { fields: { display_name: ['Anna'] } } });
    expect(await readOne(source('csv', text, { fields }), '2')).toMatchObject({ error: { line: 3, external_id: '2' } });
  });

  it('is not taken for gone where the file is cut off, or a row without an id may be it', async () => {
    await expect(readOne(source('csv', 'id,name\n1,Ann\n2'), '3')).rejects.toThrow(SourceError);
    await expect(readOne(source('csv', 'id,name\n1,Ann\n,Bob\n'), '3')).rejects.toThrow(
      '1 record without an id could be it',
    );
    expect(await readOne(source('csv', 'id,name\n1,Ann\n,Bob\n'), '1')).toMatchObject({ record: { external_id: '1' } });
  });
});
