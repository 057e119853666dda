import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectEachAlone } from '../../test/read-one.js';
import { names, readAll, sourcesFolder } from '../../test/source-fixture.js';

const { source } = sourcesFolder();

async function read(content: string | Uint8Array, config = {}) {
  const { records, errors } = await readAll(source('jsonl', content, config));
  return { names: names(records), errors };
}

describe('a JSON lines source', () => {
  it('reads one object per line, with LF or CRLF, byte order mark or UTF-16', async () => {
    const text = '{"id":1,"name":"Zoë 🚀"}\r\n\n {"name":"b","id":"2"} \n';
    const expected = {
      names: [
        ['1', 'Zoë 🚀'],
        ['2', 'b'],
      ],
      errors: [],
    };
    for (const content of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      await expect(read(content)).resolves.toEqual(expected);
    }
  });

  it('reads lines that are longer than what is read from the file at once', async () => {
    const name = 'x'.repeat(150_000);
    const lines = ['1', '2', '3'].map((id) => `{"id":"${id}","note":"${name}","name":"n${id}"}\n{"id":"${id}b"}\n`);
    const { records, errors } = await readAll(source('jsonl', lines.join('')));
    expect(errors).toEqual([]);
    expect(names(records)).toEqual(
      ['1', '2', '3'].flatMap((id) => [
        [id, `n${id}`],
        [`${id}b`, undefined],
      ]),
    );
  });

  it('maps paths through any values', async () => {
    const line = {
      user: { id: 12345 },
      mails: [{ type: 'work', value: 'a@x.example' }],
      on: false,
      groups: ['a', 'b'],
    };
    const fields = {
      email: 'mails[type=work].value',
      groups: 'groups[]',
      status: { from: 'on', transform: [{ map: { true: 'active', false: 'inactive' } }] },
    };
    const { records } = await readAll(source('jsonl', `${JSON.stringify(line)}\n`, { external_id: 'user.id', fields }));
    expect(records).toEqual([
      { external_id: '12345', fields: { email: ['a@x.example'], groups: ['a', 'b'], status: ['inactive'] }, line: 1 },
    ]);
  });

  it('distinguishes ids beyond the safe integer range', async () => {
    const text = '{"id":12345678901234567891}\n{"id":12345678901234567892}\n';
    const { records } = await readAll(source('jsonl', text));
    expect(records.map((record) => record.external_id)).toEqual(['12345678901234567891', '12345678901234567892']);
  });

  it('reports unusable lines by number and continues', async () => {
    const rows = [
      '{"id":1}',
      'null',
      '[{"id":2}]',
      '{"id":',
      '{"id":"\xff"}',
      '{"id":"a\0"}',
      '{"name":"b"}',
      '{"id":8}',
      '',
    ];
    const text = Buffer.from(rows.join('\n'), 'latin1');
    const unusable = 'not valid UTF-8, or contains a NUL character';
    await expect(read(text)).resolves.toEqual({
      names: [
        ['1', undefined],
        ['8', undefined],
      ],
      errors: [
        { line: 2, message: 'is not a JSON object' },
        { line: 3, message: 'is not a JSON object' },
        { line: 4, message: 'is not a JSON object' },
        { line: 5, message: unusable },
        { line: 6, message: unusable },
        { line: 7, message: 'id (external_id) is missing' },
      ],
    });
  });

  it('reports NUL characters and unpaired surrogates by line, and leaves out their fields', async () => {
    const text = '{"id":"1","name":"a\\u0000"}\n{"id":"2","name":"\\ud800"}\n{"id":"\\u0000"}\n';
    const problem = {
      field: 'display_name',
      message: 'display_name contains a NUL character or an unpaired surrogate',
    };
    await expect(readAll(source('jsonl', text))).resolves.toMatchObject({
      records: [
        { external_id: '1', fields: {}, problems: [{ ...problem, line: 1 }] },
        { external_id: '2', fields: {}, problems: [{ ...problem, line: 2 }] },
      ],
      errors: [{ line: 3, message: 'id (external_id) contains a NUL character or an unpaired surrogate' }],
    });
  });

  it('fails for a truncated file, but not for a missing last line break', async () => {
    await expect(read('{"id":1}\n{"id":2}')).resolves.toMatchObject({ names: { length: 2 }, errors: [] });
    for (const text of ['{"id":1}\n{"id":2', '{"id":1}\n{"id":"\xc3', '{"id":1}\n12']) {
      await expect(read(Buffer.from(text, 'latin1'))).rejects.toThrow('is truncated: it ends within line 2');
    }
  });

  it('fails for an empty file and for an endless line', async () => {
    for (const text of ['', '\n\n', ' \n']) await expect(read(text)).rejects.toThrow('contains no lines');
    await expect(read(`{"id":1}\n{"id":"${'x'.repeat(9_000_000)}`)).rejects.toThrow(
      'line 2 of "source.jsonl" is longer',
    );
  });

  it('reads lines of up to 8 MiB', async () => {
    const line = (bytes: number) => `{"id":1,"note":"${'x'.repeat(bytes - 18)}"}\n`;
    await expect(read(line(8 * 1024 * 1024))).resolves.toEqual({ names: [['1', undefined]], errors: [] });
  });

  it.each([
    [99, '{"id":1}', ['id', 'mail']],
    [100, '{"id":1}', ['id']],
    [999, 'bad', ['mail']],
    [1_000, 'bad', []],
  ])('discovers fields in its first 100 objects or 1000 lines: after %d times %s', async (count, line, names) => {
    const text = `${`${line}\n`.repeat(count)}{"mail":"a@x.example"}\n`;
    const fields = await source('jsonl', text).discover?.(new AbortController().signal);
    expect(fields?.map(({ name }) => name)).toEqual(names);
  });

  it('rejects an invalid path', () => {
    expect(() => source('jsonl', '', { external_id: 'a[' })).toThrow('"a[" is not a path');
  });

  it('discovers the fields', async () => {
    const text = '{"id":1,"mails":[{"value":"a@x.example"}]}\nbad\n{"id":2}\n';
    await expect(source('jsonl', text).discover?.(new AbortController().signal)).resolves.toEqual([
      { name: 'id', examples: ['1', '2'] },
      { name: 'mails[].value', examples: ['a@x.example'] },
    ]);
  });

  it('returns the written values, and the same records when resumed after any page', async () => {
    const value = fc
      .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\\', '"', '\u2028', '\ufeff'))
      .filter((text) => !text.includes('\0'));
    const lines = fc.record({
      names: fc.array(value, { minLength: 1, maxLength: 12 }),
      lineBreak: fc.constantFrom('\n', '\r\n', '\n\n'),
      pageSize: fc.integer({ min: 1, max: 15 }),
    });
    await fc.assert(
      fc.asyncProperty(lines, async ({ names, lineBreak, pageSize }) => {
        const text = names.map((name, id) => JSON.stringify({ id, name }) + lineBreak).join('');
        const connector = source('jsonl', text, { fields: { 'attributes.name': 'name' } });
        const { records, pages, errors } = await readAll(connector, pageSize);
        expect(errors).toEqual([]);
        expect(records).toEqual(
          names.map((name, id) => ({
            external_id: String(id),
            fields: { 'attributes.name': name.trim() === '' ? [] : [name.trim()] },
          })),
        );
        let seen = 0;
        for (const page of pages) {
          seen += page.records.length;
          expect((await readAll(connector, 2, page.cursor)).records).toEqual(records.slice(seen));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('reading one line of a JSON lines source', () => {
  it('returns the same result as a full read', async () => {
    const text = ['CN=a/b,O=x+y%20', 'ü', '"'].map((id) => JSON.stringify({ id, name: `n ${id}` })).join('\n');
    expect(await expectEachAlone(source('jsonl', `${text}\n`))).toHaveLength(3);
  });
});
