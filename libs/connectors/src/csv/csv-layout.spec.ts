import type { FileEncoding } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { names, readAll, sourcesFolder } from '../../test/source-fixture.js';

const { source } = sourcesFolder();

async function read(content: string | Uint8Array, config = {}, pageSize?: number) {
  const { records, errors, pages } = await readAll(source('csv', content, config), pageSize);
  return { names: names(records), problems: records.flatMap(({ problems = [] }) => problems), errors, pages };
}

describe('the encoding of a CSV source', () => {
  it('is the configured one', async () => {
    const people: [FileEncoding, string][] = [
      ['windows-1252', 'Zoë “Bär” €'],
      ['iso-8859-1', 'Zoë Bär'],
      ['iso-8859-15', 'Zoë €'],
      ['windows-1250', 'Łukasz Dvořák'],
      ['cp850', 'Jürgen Groß'],
      ['macintosh', 'Zoë Bär'],
      ['shift_jis', '山田太郎'],
      ['utf-16le', 'Zoë 山田 🚀'],
      ['utf-16be', 'Zoë 山田 🚀'],
    ];
    for (const [encoding, name] of people) {
      const content = iconv.encode(`id,name\n1,"${name}"\n2,b\n`, encoding);
      expect([encoding, await read(content, { encoding })]).toMatchObject([
        encoding,
        { names: [['1', name], ['2', 'b']], problems: [], errors: [] }, // biome-ignore format: one line per case
      ]);
    }
  });

  it('is the one of a byte order mark, whatever is configured', async () => {
    const config = { encoding: 'windows-1252' };
    const text = '\ufeffid,name\n1,Zoë\n';
    for (const content of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      await expect(read(content, config)).resolves.toMatchObject({ names: [['1', 'Zoë']], problems: [] });
    }
  });

  it('reports bytes that it does not have by line, and leaves out the field', async () => {
    const rows = Buffer.concat([Buffer.from('id,name\n1,a\n2,'), Buffer.from([0x81]), Buffer.from('\n3,c\n')]);
    await expect(read(rows, { encoding: 'windows-1252' })).resolves.toMatchObject({
      names: [
        ['1', 'a'],
        ['2', undefined],
        ['3', 'c'],
      ],
      problems: [
        {
          field: 'display_name',
          line: 3,
          message: 'display_name is not valid windows-1252, or contains a NUL character',
        },
      ],
    });
  });

  it('fails for a header that is not valid in it', async () => {
    const content = iconv.encode('id,Nåme\n1,a\n', 'windows-1252');
    await expect(read(content)).rejects.toThrow('the header of "source.csv" is not valid UTF-8');
  });

  it('allows to resume after any page', async () => {
    const content = iconv.encode('id,name\n1,ä€\n2,ö\n3,ü\n4,ß\n', 'windows-1252');
    const connector = source('csv', content, { encoding: 'windows-1252' });
    const { pages } = await readAll(connector, 1);
    const rest = await readAll(connector, 1000, pages[1]?.cursor);
    expect(names(rest.records)).toEqual([
      ['3', 'ü'],
      ['4', 'ß'],
    ]);
  });

  it('must be a known one', () => {
    expect(() => source('csv', '', { encoding: 'ansi' })).toThrow('must be one of utf-8, utf-16le');
  });
});

describe('the delimiter of a CSV source', () => {
  it('is the one of a first line "sep=", whatever is configured', async () => {
    for (const [line, delimiter] of [
      ['sep=;', ';'],
      ['SEP=\t', '\t'],
      ['"sep=|"', '|'],
      ['sep=,', ','],
    ]) {
      for (const lineBreak of ['\r\n', '\n']) {
        const text = [line, `id${delimiter}name`, `1${delimiter}a`, ''].join(lineBreak);
        for (const content of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, 'utf16le')]) {
          await expect(read(content, { delimiter: '^' })).resolves.toMatchObject({ names: [['1', 'a']], errors: [] });
        }
      }
    }
  });

  it('counts a line "sep=" in line numbers and when it resumes', async () => {
    const text = 'sep=;\nid;name\n1;a\n2\n3;c\n';
    const connector = source('csv', text);
    const { pages, errors } = await readAll(connector, 1);
    expect(errors).toEqual([{ line: 4, message: '1 columns, but the header has 2' }]);
    const rest = await readAll(connector, 1000, pages[1]?.cursor);
    expect(names(rest.records)).toEqual([['3', 'c']]);
  });

  it('is suggested if another one would divide the header', async () => {
    for (const [delimiter, name] of [
      [';', '";"'],
      ['\t', 'a tab'],
      ['|', '"|"'],
    ]) {
      await expect(read(`id${delimiter}name\n1${delimiter}a\n`)).rejects.toThrow(
        `"source.csv" has no column "id", "name": the header is one column; is the delimiter ${name}?`,
      );
    }
    await expect(read('id,name\n1,a\n', { delimiter: ';' })).rejects.toThrow('is the delimiter ","?');
  });

  it('is suggested if another one would divide a row', async () => {
    const { errors } = await read('id,name\n1,a\n2;b\n3;b;c\n4,d\n');
    expect(errors).toEqual([
      { line: 3, message: '1 columns, but the header has 2; is the delimiter ";"?' },
      { line: 4, message: '1 columns, but the header has 2' },
    ]);
  });
});

describe('the description of a CSV source', () => {
  const { signal } = new AbortController();
  const describeFile = (content: string | Uint8Array, config = {}) => source('csv', content, config).describe?.(signal);

  it('contains the encoding, the delimiter, the columns and those that are not mapped', async () => {
    await expect(describeFile('sep=;\nid;name;note\n1;a;b\n')).resolves.toEqual({
      encoding: 'utf-8',
      delimiter: ';',
      columns: ['id', 'name', 'note'],
      warnings: ['columns that are not mapped: "note"'],
    });
    const text = Buffer.from('\ufeffid,name\n1,Zoë\n', 'utf16le');
    await expect(describeFile(text)).resolves.toMatchObject({ encoding: 'utf-16le', delimiter: ',', warnings: [] });
  });

  it('warns of content that is not in the encoding', async () => {
    const western = iconv.encode('id,name\n1,Zoë\n', 'windows-1252');
    const utf8 = 'id,name\n1,Zoë\n';
    const config = { encoding: 'windows-1252' };
    await expect(describeFile(western)).resolves.toMatchObject({
      warnings: ['the file is not valid UTF-8, so values are missing; set encoding, for example to windows-1252'],
    });
    await expect(describeFile(western, config)).resolves.toMatchObject({ encoding: 'windows-1252', warnings: [] });
    await expect(describeFile(utf8)).resolves.toMatchObject({ warnings: [] });
    await expect(describeFile(utf8, config)).resolves.toMatchObject({
      warnings: ['the file is valid UTF-8, but it is read as windows-1252'],
    });
    const cut = Buffer.from(`id,name\r\n${'é'.repeat(1024 * 1024)}`);
    await expect(describeFile(Buffer.concat([cut, Buffer.from(',x\n')]))).resolves.toMatchObject({ warnings: [] });
  });
});
