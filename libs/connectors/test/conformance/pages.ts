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
  readComplete,
  released,
  stateAfter,
} from './readings.js';
import { isUnsupported, type SourceUnderTest } from './source-under-test.js';

export function testsPages(source: SourceUnderTest): void {
  it('returns every record once for any page size and response size', async () => {
    const count = fc.integer({ min: source.emptySource === 'complete' ? 0 : 1, max: source.runs ? 11 : 25 });
    const size = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(count, size, size, async (count, answerSize, pageSize) => {
        await given(source, people(count), answerSize);
        const pages = await readComplete(source, { pageSize });
        expect(pages.flatMap(({ errors }) => errors)).toEqual([]);
        expect(namesIn(pages.flatMap(({ records }) => records))).toEqual(namesOf(source, people(count)));
        expect(stateAfter(pages)).toEqual(stateAfter(await readComplete(source, { pageSize: 1_000 })));
      }),
      { numRuns: source.runs ?? 25 },
    );
  });

  it(`${source.emptySource === 'complete' ? 'accepts' : 'rejects'} a source without users`, async () => {
    await given(source, []);
    const { pages, error } = await attempt(source, { pageSize: 5 });
    if (source.emptySource === 'complete')
      expect(namesIn(pages.flatMap(({ records }) => records))).toEqual(namesOf(source, []));
    else expect(error).toBeDefined();
  });

  it('returns the same records when another process resumes from any cursor', async () => {
    await given(source, people(11), 4);
    for (const pageSize of [1, 3, 4, 50]) {
      const pages = await readComplete(source, { pageSize });
      for (const [index, { cursor, last }] of pages.entries()) {
        if (last) continue;
        const rest = await readComplete(source, { pageSize, cursor });
        expect(rest.flatMap(({ records }) => records)).toEqual(
          pages.slice(index + 1).flatMap(({ records }) => records),
        );
        expect(rest.at(-1)?.checkpoint).toEqual(pages.at(-1)?.checkpoint);
      }
    }
  });

  it('returns the same records when a new process reads each page', async () => {
    await given(source, people(11), 4);
    const pages = await readComplete(source, { pageSize: 2 });
    expect((await inPieces(source, { pageSize: 2 })).flatMap(({ records }) => records)).toEqual(
      pages.flatMap(({ records }) => records),
    );
  });

  it('reports a fraction between 0 and 1 that never decreases', async () => {
    await given(source, people(11), 4);
    const fractions = (await readComplete(source, { pageSize: 2 })).flatMap(({ fraction }) => fraction ?? []);
    for (const fraction of fractions) expect(fraction === Math.min(1, Math.max(0, fraction))).toBe(true);
    expect(fractions).toEqual([...fractions].sort((one, other) => one - other));
  });

  const { discovers } = source;
  if (isUnsupported(discovers)) {
    it(`does not support field discovery: ${discovers.unsupported}`, () =>
      expect(source.open().discover).toBeUndefined());
  } else {
    it('discovers the fields', async () => {
      await given(source, people(3));
      const fields = await source.open().discover?.(new AbortController().signal);
      expect(fields?.map(({ name }) => name)).toEqual(expect.arrayContaining([...discovers]));
      for (const { examples } of fields ?? []) expect(examples.length).toBeLessThanOrEqual(3);
      expectNoSecret(source, fields);
      await released(source);
    });
  }
}
