import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectEachAlone } from '../test/read-one.js';
import { names, readAll, sourcesFolder } from '../test/source-fixture.js';
import { IdCollector } from './repeated-ids.js';

const { source } = sourcesFolder();

const now = new Date('2026-06-01T00:00:00Z');

describe('the rows of an id', () => {
  it('count if they are active, then if they began last, then if they are the last ones', () => {
    const values = (...listed: string[][]) => fc.constantFrom(...listed);
    const fields = fc.record({
      status: values(['active'], ['inactive'], []),
      hire_date: values(['2020-01-01T00:00:00.000Z'], ['2024-01-01T00:00:00.000Z'], []),
    });
    const added = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'é', 'A', ''), fc.option(fields)), { maxLength: 300 });
    /** Sorts as the rows precede; an unusable one comes first. */
    const rank = (found: { status: string[]; hire_date: string[] } | null) =>
      found ? `${found.status[0] === 'inactive' ? 0 : 1} ${found.hire_date[0] ?? ''}` : '2';
    fc.assert(
      fc.property(added, (rows) => {
        const ids = new IdCollector();
        for (const [id] of rows) ids.add(id);
        const repeated = ids.repeated(now);
        for (const [line, [id, found]] of rows.entries()) repeated.compare(id, line, found ?? undefined);
        for (const [line, [id]] of rows.entries()) {
          const same = [...rows.entries()].filter(([, [other]]) => other === id);
          const best = same.reduce((one, other) => (rank(other[1][1]) >= rank(one[1][1]) ? other : one))[0];
          expect(repeated.countingRow(id, line)).toBe(best === line ? undefined : best);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a collector of ids', () => {
  it('compares only the ids within its limit', () => {
    const ids = new IdCollector(3);
    const listed = ['a', 'b', 'a', 'b', 'a'];
    for (const id of listed) ids.add(id);
    const repeated = ids.repeated(now);
    for (const [line, id] of listed.entries()) repeated.compare(id, line, {});
    expect(listed.map((id, line) => repeated.countingRow(id, line))).toEqual([4, undefined, 4, undefined, undefined]);
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
  it('keeps the earlier state of the record if one of its rows cannot be used', async () => {
    const config = { fields: { status: 'status' } };
    for (const rows of ['1,active\n1,odd\n', '1,odd\n1,active\n']) {
      const { records, errors } = await readAll(source('csv', `id,status\n${rows}`, config));
      expect(records).toEqual([]);
      expect(errors).toHaveLength(2);
      const unusable = rows.startsWith('1,odd') ? 0 : 1;
      expect(errors[unusable]).toMatchObject({
        external_id: '1',
        message: expect.stringMatching(/^status is not one of/),
      });
      expect(errors[1 - unusable]?.message).toBe(
        `the id is listed again in line ${2 + unusable}, which is the one that counts`,
      );
    }
  });

  it('compares ids in their normal form', async () => {
    const config = { fields: { status: 'status' } };
    const spellings = ['E0017\u200b', '\uff25\uff10\uff10\uff11\uff17', 'E0017'];
    const text = `id,status\n${spellings.map((id, nth) => `${id},${nth === 1 ? '' : 'in'}active\n`).join('')}`;
    const connector = source('csv', text, config);
    const { records, errors } = await readAll(connector, 1);
    expect(records).toEqual([{ external_id: 'E0017', spelling: spellings[1], fields: { status: ['active'] } }]);
    expect(errors.map(({ line, external_id }) => [line, external_id])).toEqual([
      [2, 'E0017'],
      [4, 'E0017'],
    ]);
    expect(await connector.readOne?.('E0017', new AbortController().signal)).toMatchObject({
      record: { fields: { status: ['active'] } },
    });
  });

  it('has the row that is active, then the one that began last, in whichever order and pages they are listed', async () => {
    const rows = [
      '77,Nurse,active,2024-01-01,',
      '77,Trainee,inactive,2025-01-01,',
      '77,Chief,active,2022-01-01,2023-01-01',
      '77,Clerk,active,2021-01-01,',
      '77,Temp,active,2999-01-01,',
    ];
    const fields = Object.fromEntries(
      ['job_title', 'status', 'hire_date', 'termination_date'].map((name) => [name, name]),
    );
    for (let turn = 0; turn < rows.length; turn += 1) {
      const turned = [...rows.slice(turn), ...rows.slice(0, turn)];
      const text = `id,job_title,status,hire_date,termination_date\n${turned.join('\n')}\n`;
      const connector = source('csv', text, { fields });
      for (const pageSize of [1, 100]) {
        const { records, errors, pages } = await readAll(connector, pageSize);
        const found = records.map((record) => record.fields.job_title);
        expect(found).toEqual([['Nurse']]);
        const line = 2 + turned.indexOf(rows[0] as string);
        expect(errors.map(({ message }) => message)).toEqual(
          Array(4).fill(`the id is listed again in line ${line}, which is the one that counts`),
        );
        for (const [nth, { cursor }] of pages.entries()) {
          const rest = await readAll(connector, 100, cursor);
          expect([...pages.slice(0, nth + 1).flatMap((page) => page.records), ...rest.records]).toHaveLength(1);
        }
      }
      expect(await connector.readOne?.('77', new AbortController().signal)).toMatchObject({
        record: { fields: { job_title: ['Nurse'] } },
      });
    }
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
