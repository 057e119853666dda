import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import LongestFirst from './setup/longest-first.mjs';
import { slowFiles } from './setup/slow-files.mjs';

const rootDir = dirname(import.meta.dirname);
const testAt = (file: string) => ({
  path: `${rootDir}/${file}`,
  context: { config: { rootDir, cache: false }, hasteFS: { getSize: () => 1 } },
});

describe('the order of test files without times of earlier runs', () => {
  it('begins with the slowest file, and ends with those that are not listed', () => {
    const [slowest = '', second = ''] = Object.keys(slowFiles);
    const given = ['test/docs.spec.ts', second, slowest].map(testAt);
    expect(new LongestFirst().sort(given).map(({ path }) => path)).toEqual(
      [slowest, second, 'test/docs.spec.ts'].map((file) => testAt(file).path),
    );
  });

  it('lists only files that exist, the slowest first', () => {
    expect(Object.keys(slowFiles).filter((file) => !existsSync(`${rootDir}/${file}`))).toEqual([]);
    const seconds = Object.values(slowFiles);
    expect(seconds).toEqual(seconds.toSorted((one, other) => other - one));
  });
});
