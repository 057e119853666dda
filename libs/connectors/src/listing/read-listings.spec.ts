import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { finalRecords } from '../../test/reading.js';
import { type Cursor, type Page, SourceError } from '../connector.js';
import type { Listing } from './listing-connector.js';
import { readListings } from './listing-connector.js';

type Item = { id?: string; name: string };
const mapping = { kind: 'account', externalId: 'id', fields: { display_name: 'name' } } as const;

/** Lists that return fixed chunks for any request. An empty chunk is not the end. */
function listsOf(lists: readonly (readonly Item[][])[]): Listing[] {
  return lists.map((chunks, list) => ({
    name: `list ${list}`,
    async read({ at }) {
      const chunk = Number(at?.chunk ?? 0);
      const hasNext = chunk < chunks.length - 1;
      return {
        documents: [...(chunks[chunk] ?? [])],
        ...(hasNext && { next: { chunk: chunk + 1, seen: 0 } }),
        from: `list ${list}`,
      };
    },
  }));
}

async function read(listings: Listing[], pageSize: number, cursor?: Cursor): Promise<Page[]> {
  const pages: Page[] = [];
  const options = { pageSize, signal: new AbortController().signal, ...(cursor && { cursor }) };
  for await (const page of readListings(listings, mapping, options, 1_000)) pages.push(page);
  return pages;
}

const item = fc.record({ id: fc.nat(12).map(String), name: fc.string({ minLength: 1, maxLength: 3 }) });
const lists = fc.array(fc.array(fc.array(item, { maxLength: 7 }), { maxLength: 4 }), { minLength: 1, maxLength: 3 });

describe('reading several lists', () => {
  it('returns the last state of each record for any page size and any interruption', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 9 }), async (source, pageSize) => {
        const pages = await read(listsOf(source), pageSize);
        const expected = Object.fromEntries(
          source.flat(2).map(({ id, name }) => [id, { display_name: name.trim() === '' ? [] : [name.trim()] }]),
        );
        expect(finalRecords(pages)).toEqual(expected);
        expect(pages.map(({ last }) => last)).toEqual(pages.map((page) => page === pages.at(-1)));
        for (const page of pages) {
          expect(page.records.length).toBeLessThanOrEqual(pageSize);
          expect(new Set(page.records.map(({ external_id }) => external_id)).size).toBe(page.records.length);
        }
        for (const [index, { cursor, last }] of pages.entries()) {
          if (last) continue;
          const rest = await read(listsOf(source), pageSize, cursor);
          expect([...pages.slice(0, index + 1), ...rest]).toEqual(pages);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('repeats a chunk that changed after an interruption within it', async () => {
    const chunk = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id }));
    const [first] = await read(listsOf([[chunk]]), 2);
    const moved = [{ id: 'new', name: 'new' }, ...chunk.slice(1)];
    const rest = await read(listsOf([[moved]]), 2, first?.cursor);
    expect(rest.flatMap(({ records }) => records.map(({ external_id }) => external_id))).toEqual([
      'new',
      'b',
      'c',
      'd',
    ]);
  });

  it('reports the position of an unusable record across all lists', async () => {
    const pages = await read(listsOf([[[{ id: 'a', name: 'a' }]], [[{ id: 'b', name: 'b' }, { name: 'c' }]]]), 1);
    expect(pages.flatMap(({ errors }) => errors)).toEqual([{ line: 3, message: 'id (external_id) is missing' }]);
  });

  it('fails for a list with a cycle, for endless empty chunks and for a cursor of another source', async () => {
    const circle: Listing = {
      name: 'circle',
      read: async ({ at }) => ({ documents: [], next: { token: 'same', seen: (at?.seen ?? 0) + 1 }, from: 'GET /' }),
    };
    await expect(read([circle], 5)).rejects.toThrow('GET / returned a page that leads back to an earlier one');
    const empty: Listing = {
      name: 'empty',
      read: async ({ at }) => ({ documents: [], next: { token: Number(at?.token ?? 0) + 1, seen: 0 }, from: 'GET /' }),
    };
    await expect(read([empty], 5)).rejects.toThrow('GET / returned 1001 empty pages in a row');
    await expect(read(listsOf([[]]), 5, { offset: 3 })).rejects.toThrow(SourceError);
    const place = { done: 0, digest: '', seen: 0 };
    const broken = { ...place, next: '{' };
    await expect(read(listsOf([[]]), 5, broken)).rejects.toThrow('the cursor does not belong to this source');
    const gone = { ...place, next: '{"list":"gone"}' };
    await expect(read(listsOf([[]]), 5, gone)).rejects.toThrow('the lists of this connector were changed');
  });
});
