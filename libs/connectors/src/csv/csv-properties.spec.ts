import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAll, sourcesFolder } from '../../test/source-fixture.js';

const { source } = sourcesFolder();

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
