import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import LongestFirst from './setup/longest-first.mjs';
import { secondsOf } from './tiers.mjs';

const rootDir = dirname(import.meta.dirname);
const testAt = (file: string) => ({
  path: `${rootDir}/${file}`,
  context: { config: { rootDir, cache: false }, hasteFS: { getSize: () => 1 } },
});

describe('the order of test files without times of earlier runs', () => {
  it('begins with the slowest file, and ends with those that are not listed', () => {
    const [slowest = '', second = ''] = Object.entries(secondsOf)
      .toSorted(([, one], [, other]) => other - one)
      .map(([file]) => file);
    const given = ['test/docs.spec.ts', second, slowest].map(testAt);
    expect(new LongestFirst().sort(given).map(({ path }) => path)).toEqual(
      [slowest, second, 'test/docs.spec.ts'].map((file) => testAt(file).path),
    );
  });
});
