import { expect, it } from '@jest/globals';
import { given, namesIn, namesOf, people, whole } from './readings.js';
import { isLacking, type SourceUnderTest, skipped } from './source-under-test.js';

const titles = { withoutId: 'without an id', ofWrongType: 'of a wrong type', tooLarge: 'that is too large' } as const;

export function testsBadRecords(source: SourceUnderTest): void {
  for (const [kind, title] of Object.entries(titles) as [keyof typeof titles, string][]) {
    const spoil = source.bad[kind];
    if (isLacking(spoil)) {
      skipped(`${source.name} with a record ${title}`, spoil);
      continue;
    }
    it(`tells of a record ${title}, and gives the others unharmed`, async () => {
      await given(source, people(5));
      const connector = await spoil(people(5));
      for (const pageSize of [2, 50]) {
        const pages = await whole(source, { pageSize }, connector);
        const errors = pages.flatMap((page) => page.errors);
        expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(/\w/) })]);
        expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(1_000);
        expect(namesIn(pages.flatMap(({ records }) => records))).toEqual(namesOf(source, people(5)));
      }
    });
  }
}
