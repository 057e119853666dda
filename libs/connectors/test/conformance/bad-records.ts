import { expect, it } from '@jest/globals';
import { given, namesIn, namesOf, people, readComplete } from './readings.js';
import { isUnsupported, type SourceUnderTest, skipped } from './source-under-test.js';

const titles = {
  withoutId: 'without an id',
  ofWrongType: 'with a field of the wrong type',
  tooLarge: 'that is too large',
} as const;

export function testsBadRecords(source: SourceUnderTest): void {
  for (const [kind, title] of Object.entries(titles) as [keyof typeof titles, string][]) {
    const spoil = source.bad[kind];
    if (isUnsupported(spoil)) {
      skipped(`${source.name} reports a record ${title}`, spoil);
      continue;
    }
    it(`reports a record ${title} as an error, or its field as a problem, and returns all other records`, async () => {
      await given(source, people(5));
      const connector = await spoil(people(5));
      for (const pageSize of [2, 50]) {
        const pages = await readComplete(source, { pageSize }, connector);
        const records = pages.flatMap((page) => page.records);
        const problems = records.flatMap((record) => record.problems ?? []);
        const errors = [...pages.flatMap((page) => page.errors), ...problems];
        expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(/\w/) })]);
        expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(1_000);
        expect(namesIn(records.filter((record) => !record.problems))).toEqual(namesOf(source, people(5)));
      }
    });
  }
}
