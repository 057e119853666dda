import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allowedSkips } from './setup/allowed-skips.mjs';
import { filesOf } from './tiers.mjs';

const root = dirname(import.meta.dirname);
const { IDSYNC_TEST_SINCE: _, ...env } = process.env;
const listed = (['core', 'more', 'nightly'] as const).flatMap(filesOf);

describe('the tiers of tests', () => {
  it('contain every test file', () => {
    const options = { cwd: root, encoding: 'utf8' as const, env };
    const paths: string[] = JSON.parse(execFileSync('node_modules/.bin/jest', ['--listTests', '--json'], options));
    const tracked = execFileSync('git', ['ls-files', '*.spec.ts', '*.spec.tsx'], options).split('\n').filter(Boolean);
    expect(paths.map((path) => path.slice(root.length + 1)).sort()).toEqual(tracked.sort());
  });

  it('list each heavy file once', () => {
    expect(listed.filter((file, at) => listed.indexOf(file) !== at)).toEqual([]);
  });

  it('of npm test need nothing but Node: no file of core is skipped for a missing program', () => {
    const programs = allowedSkips.filter(({ because }) =>
      /program|PostgreSQL can be started|control group/.test(because),
    );
    const ofOthers = new Set([...filesOf('more'), ...filesOf('nightly')]);
    const files = programs
      .flatMap(({ tests }) => Object.keys(tests))
      .filter((file) => /\.(int|e2e)\.spec\./.test(file));
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !ofOthers.has(file))).toEqual([]);
  });
});

describe('the nightly files of a change', () => {
  it.each([
    ['a source', 'libs/messaging/src/amqp/a.ts', 'libs/messaging/src/broker-restart.int.spec.ts'],
    ['a file of the root', 'docker-compose.yml', 'test/memory-limits.e2e.spec.ts'],
    ['the file itself', 'test/upgrade.e2e.spec.ts', 'test/upgrade.e2e.spec.ts'],
  ])('follow from %s', async (_what, changed, expected) => {
    const files = await nightlyFilesAfter([changed]);
    expect(files).toContain(expected);
    expect(files).not.toContain('k8s/test/databases.int.spec.ts');
  });

  it('are in CI the shortest, if all sources have changed', async () => {
    const all = [
      'libs/messaging/src/a.ts',
      'apps/console/src/a.ts',
      'docker-compose.yml',
      'libs/connectors/src/sql/a.ts',
    ];
    const leftOut = await nightlyFilesAfter(all, '--left-out', 'HEAD');
    const parts = leftOut.join('\n').split('!! LEFT OUT').slice(1);
    const [withoutTime = [], unchanged = []] = parts.map((part) => part.trim().split('\n   '));
    expect(withoutTime).toContain('test/memory-limits.e2e.spec.ts');
    expect(withoutTime).not.toContain('libs/messaging/src/broker-late.int.spec.ts');
    expect(unchanged).toContain('test/upgrade.e2e.spec.ts');
  });

  it('are none for specs that run by themselves, and for documents', async () => {
    expect(await nightlyFilesAfter(['libs/messaging/src/amqp/a.spec.ts', 'docs/api.md'])).toEqual([]);
  });

  it('follow from no commit that does not exist', () => {
    const list = () => execFileSync('node', ['tools/nightly-files.mjs', 'nothing'], { cwd: root, stdio: 'pipe' });
    expect(list).toThrow(/bad revision|unknown revision/);
  });
});

/** Lists the nightly files in a repository in which these have changed since its only commit. */
async function nightlyFilesAfter(changed: string[], ...words: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'idsync-tiers-'));
  try {
    for (const file of ['tools/nightly-files.mjs', 'test/tiers.mjs']) await cp(join(root, file), join(folder, file));
    const run = (file: string, ...words: string[]) => execFileSync(file, words, { cwd: folder, encoding: 'utf8' });
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    for (const file of changed) write(file, 'before');
    run('git', 'init', '--quiet');
    run('git', 'add', '.');
    run('git', '-c', 'user.name=a', '-c', 'user.email=a@example.test', 'commit', '--quiet', '--message', 'a');
    for (const file of changed) write(file, 'after');
    return run('node', 'tools/nightly-files.mjs', ...(words.length > 0 ? words : ['HEAD']))
      .split('\n')
      .filter(Boolean);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
