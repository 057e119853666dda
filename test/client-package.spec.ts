import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

describe('the package of the client', () => {
  it('contains what its exports name, and no sources or tests', () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '-w', '@idsync/client'], {
        encoding: 'utf8',
      }),
    );
    const files = packed.files.map(({ path }: { path: string }) => path);
    expect(files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/operator.js', 'dist/generated/api.d.ts']),
    );
    expect(files.filter((path: string) => /^src|spec|tsbuildinfo/.test(path))).toEqual([]);
  });
});
