import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  attempt,
  expectNoSecret,
  given,
  inPieces,
  namesIn,
  namesOf,
  people,
  released,
  stateAfter,
  whole,
} from './readings.js';
import { isLacking, type SourceUnderTest } from './source-under-test.js';

export function testsPages(source: SourceUnderTest): void {
  it('gives everybody once, whatever the size of pages and answers', async () => {
    const count = fc.integer({ min: source.nobody === 'complete' ? 0 : 1, max: source.runs ? 11 : 25 });
    const size = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(count, size, size, async (count, answerSize, pageSize) => {
        await given(source, people(count), answerSize);
        const pages = await whole(source, { pageSize });
        expect(pages.flatMap(({ errors }) => errors)).toEqual([]);
        expect(namesIn(pages.flatMap(({ records }) => records))).toEqual(namesOf(source, people(count)));
        expect(stateAfter(pages)).toEqual(stateAfter(await whole(source, { pageSize: 1_000 })));
      }),
      { numRuns: source.runs ?? 25 },
    );
  });

  it(`of nobody is ${source.nobody}`, async () => {
    await given(source, []);
    const { pages, error } = await attempt(source, { pageSize: 5 });
    if (source.nobody === 'complete')
      expect(namesIn(pages.flatMap(({ records }) => records))).toEqual(namesOf(source, []));
    else expect(error).toBeDefined();
  });

  it('gives the same records left at any page and taken up by another process', async () => {
    await given(source, people(11), 4);
    for (const pageSize of [1, 3, 4, 50]) {
      const pages = await whole(source, { pageSize });
      for (const [index, { cursor, last }] of pages.entries()) {
        if (last) continue;
        const rest = await whole(source, { pageSize, cursor });
        expect(rest.flatMap(({ records }) => records)).toEqual(
          pages.slice(index + 1).flatMap(({ records }) => records),
        );
        expect(rest.at(-1)?.checkpoint).toEqual(pages.at(-1)?.checkpoint);
      }
    }
  });

  it('gives the same records to processes that die after every page', async () => {
    await given(source, people(11), 4);
    const pages = await whole(source, { pageSize: 2 });
    expect((await inPieces(source, { pageSize: 2 })).flatMap(({ records }) => records)).toEqual(
      pages.flatMap(({ records }) => records),
    );
  });

  it('tells how much is behind, never less than before, if it tells', async () => {
    await given(source, people(11), 4);
    const told = (await whole(source, { pageSize: 2 })).flatMap(({ fraction }) => fraction ?? []);
    for (const fraction of told) expect(fraction === Math.min(1, Math.max(0, fraction))).toBe(true);
    expect(told).toEqual([...told].sort((one, other) => one - other));
  });

  const { discovers } = source;
  if (isLacking(discovers)) {
    it(`shows nothing to map: ${discovers.lacks}`, () => expect(source.open().discover).toBeUndefined());
  } else {
    it('tells what there is to map', async () => {
      await given(source, people(3));
      const fields = await source.open().discover?.(new AbortController().signal);
      expect(fields?.map(({ name }) => name)).toEqual(expect.arrayContaining([...discovers]));
      for (const { examples } of fields ?? []) expect(examples.length).toBeLessThanOrEqual(3);
      expectNoSecret(source, fields);
      await released(source);
    });
  }
}
