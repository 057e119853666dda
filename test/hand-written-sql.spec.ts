import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const folders = ['libs/database/src', 'libs/messaging/src', 'apps/*/src'].map((folder) => `:(glob)${folder}/**/*.ts`);
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
  encoding: 'utf8',
});
/** Migrations always consist of SQL, so they need no reason. */
const isCode = (path: string) => /(?<!\.spec)\.ts$/.test(path) && !path.includes('/migrations/');
/** A file that sends a statement of another file, such as `outcomes.text`, has no SQL. */
const queries =
  /\.query(<.*>)?\((?!\w+\.text\b)|\.(readTexts|readAcrossTenants|writeWithoutTenant)[<(]|\b(database\.read|tx\.(row|ids|count|any))[<(]|\): NamedQuery \{/;

describe('a file with hand-written SQL', () => {
  it('gives the reason in its first line, and no other file does', () => {
    const files = paths
      .split('\n')
      .filter(isCode)
      .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const withSql = files.filter(({ text }) => queries.test(text)).map(({ path }) => path);
    expect(withSql.length).toBeGreaterThan(100);
    expect(files.filter(({ text }) => /^\/\/ SQL by hand: \S.*\.\n/.test(text)).map(({ path }) => path)).toEqual(
      withSql,
    );
  });
});
