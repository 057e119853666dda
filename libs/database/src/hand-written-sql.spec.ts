import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

const source = new URL('.', import.meta.url);
/** Migrations always consist of SQL, so they need no reason. */
const isCode = (path: string) => /(?<!\.spec)\.ts$/.test(path) && !path.startsWith('migrations/');

describe('a file with hand-written SQL', () => {
  it('gives the reason in its first line, and no other file does', async () => {
    const paths = (await readdir(source, { recursive: true })).filter(isCode);
    const files = await Promise.all(
      paths.map(async (path) => ({ path, text: await readFile(new URL(path, source), 'utf8') })),
    );
    const queries = files.filter(({ text }) => /\.query\b/.test(text)).map(({ path }) => path);
    expect(queries).not.toEqual([]);
    expect(files.filter(({ text }) => /^\/\/ SQL by hand: \S.*\.\n/.test(text)).map(({ path }) => path)).toEqual(
      queries,
    );
  });
});
