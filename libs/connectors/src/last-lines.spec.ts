import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectEachAlone } from '../test/read-one.js';
import { names, readAll, sourcesFolder } from '../test/source-fixture.js';
import { IdCollector } from './last-lines.js';

const { source } = sourcesFolder();

describe('the lines of an id', () => {
  it('end with the last one that was added', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'é', 'A', ''), { maxLength: 3_000 }), (added) => {
        const ids = new IdCollector();
        for (const [line, id] of added.entries()) ids.add(id, line);
        const lines = ids.repeated();
        for (const [line, id] of added.entries()) {
          const last = added.lastIndexOf(id);
          expect(lines.after(id, line)).toBe(last > line ? last : undefined);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a collector of ids', () => {
  it('compares only the ids within its limit', () => {
    const ids = new IdCollector(3);
    for (const [line, id] of ['a', 'b', 'a', 'b', 'a'].entries()) ids.add(id, line);
    const lines = ids.repeated();
    expect(lines.after('a', 0)).toBe(2);
    expect(lines.after('a', 2)).toBeUndefined();
    expect(lines.after('b', 1)).toBeUndefined();
  });
});

/** The same people in each format: the ids 1 and 2 are listed repeatedly. */
const people: [string, string][] = [
  ['1', 'Ann'],
  ['2', 'Bob'],
  ['3', 'Cid'],
  ['1', 'Anna'],
  ['2', 'Bert'],
  ['1', 'Anne'],
];
const files = [
  ['csv', `id,name\n${people.map(([id, name]) => `${id},${name}\n`).join('')}`, [2, 3, 5], [7, 6, 7]],
  ['jsonl', people.map(([id, name]) => `${JSON.stringify({ id, name })}\n`).join(''), [1, 2, 4], [6, 5, 6]],
  [
    'ldif',
    people.map(([id, name]) => `dn: cn=${name}\nobjectClass: person\nuid: ${id}\ncn: ${name}\n\n`).join(''),
    [1, 6, 16],
    [26, 21, 26],
  ],
] as const;

describe.each(files)('a %s file that lists an id repeatedly', (type, text, lines, kept) => {
  const last = [
    ['3', 'Cid'],
    ['2', 'Bert'],
    ['1', 'Anne'],
  ];

  it('has one record with the last entry of the id, and an error for each entry before, at any page size', async () => {
    for (const pageSize of [1, 2, 100]) {
      const { records, errors } = await readAll(source(type, text), pageSize);
      expect(names(records)).toEqual(last);
      expect(errors).toEqual(
        ['1', '2', '1'].map((external_id, nth) => ({
          field: 'external_id',
          line: lines[nth],
          external_id,
          message: `the id is listed again in line ${kept[nth]}, which is the one that counts`,
        })),
      );
    }
  });

  it('has the same records when it is resumed after any page', async () => {
    const connector = source(type, text);
    const { pages } = await readAll(connector, 1);
    for (const [nth, { cursor }] of pages.entries()) {
      const before = pages.slice(0, nth + 1).flatMap(({ records }) => records);
      const rest = await readAll(connector, 100, cursor);
      expect(names([...before, ...rest.records])).toEqual(last);
    }
  });

  it('returns the same entry when it is read alone', async () => {
    expect((await expectEachAlone(source(type, text))).sort()).toEqual(['1', '2', '3']);
  });
});

describe('a CSV file that lists an id repeatedly', () => {
  it('keeps the earlier state of the record if its last row cannot be used', async () => {
    const config = { fields: { status: 'status' } };
    const { records, errors } = await readAll(source('csv', 'id,status\n1,active\n1,odd\n', config));
    expect(records).toEqual([]);
    expect(errors).toMatchObject([
      { line: 2, external_id: '1' },
      { line: 3, external_id: '1', message: expect.stringMatching(/^status is not one of/) },
    ]);
  });

  it('compares the ids as they are read, at the lines of their rows', async () => {
    const pieces = fc.constantFrom('"', ',', '\n', '\r\n', '\r', ' ', 'é', 'x', '\ufeff');
    const cell = fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join(''));
    const id = fc.constantFrom('1', ' 1', '2', '"2"', 'é', 'a\r\nb', 'a,b', '');
    const rows = fc.array(fc.tuple(cell, id, cell), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), fc.constantFrom('\n', '\r\n', '\r'), async (table, always, lineBreak) => {
        const quoted = (value: string) =>
          always || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
        const text = [['a', 'id', 'name'], ...table].map((row) => row.map(quoted).join(',') + lineBreak).join('');
        const { records, errors } = await readAll(source('csv', text), 2);
        const listed = table.map(([, value]) => value.trim());
        const counting = [...listed.entries()].filter(
          ([at, value]) => value !== '' && listed.lastIndexOf(value) === at,
        );
        expect(records.map((record) => record.external_id)).toEqual(counting.map(([, value]) => value));
        const superseded = errors.filter(({ message }) => message.includes('listed again'));
        expect(superseded).toHaveLength(listed.filter((value) => value !== '').length - counting.length);
      }),
      { numRuns: 60 },
    );
  });

  it('finds ids in rows that are longer than a chunk of the file, and with a delimiter of several bytes', async () => {
    const filler = 'é'.repeat(50_000);
    const text = `note§id§name\n${filler}§1§Ann\n"${filler}\r\n"§2§Bob\r\n${filler}§1§Anna`;
    const { records, errors } = await readAll(source('csv', text, { delimiter: '§' }));
    expect(names(records)).toEqual([
      ['2', 'Bob'],
      ['1', 'Anna'],
    ]);
    expect(errors).toMatchObject([{ line: 2, message: expect.stringContaining('in line 5') }]);
  });
});
