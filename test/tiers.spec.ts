import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
    const words = ['ls-files', '--cached', '--others', '--exclude-standard', '*.spec.ts', '*.spec.tsx'];
    const files = execFileSync('git', words, options)
      .split('\n')
      .filter((file) => file && existsSync(join(root, file)));
    const inTiers = paths.map((path) => relative(root, path));
    const inNone = files.filter((file) => !inTiers.includes(file));
    expect(inNone.map((file) => `${file} is in no tier: list it in test/tiers.mjs`)).toEqual([]);
    expect(inTiers.sort()).toEqual(files.sort());
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

const none = 'no nightly test file concerns the changes since HEAD';

describe('the nightly files of a change', () => {
  it.each([
    ['a source', 'libs/messaging/src/amqp/a.ts', 'libs/messaging/src/broker-restart.int.spec.ts'],
    ['a file of the root', 'docker-compose.yml', 'test/memory-limits.e2e.spec.ts'],
    ['a helper', 'test/support/small-disk.ts', 'test/full-disk.e2e.spec.ts'],
    ['the file itself', 'test/upgrade.e2e.spec.ts', 'test/upgrade.e2e.spec.ts'],
  ])('follow from %s', async (_what, changed, expected) => {
    const files = await nightlyFilesAfter([changed]);
    expect(files).toContain(expected);
    expect(files).not.toContain('k8s/test/databases.int.spec.ts');
  });

  it('follow from each program that only tests start', async () => {
    const programs = readFileSync(join(root, 'test/setup/programs.config.mjs'), 'utf8');
    const files = [...programs.matchAll(/'((?:apps|libs)\/[^']+)'/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files)
      expect(await nightlyFilesAfter([file])).toContainEqual(expect.stringMatching(/\.spec\.ts$/));
  });

  const all = [
    'libs/messaging/src/a.ts',
    'apps/console/src/a.ts',
    'docker-compose.yml',
    'libs/connectors/src/sql/a.ts',
  ];

  it('are in CI the shortest, if all sources have changed', async () => {
    const leftOut = await nightlyFilesAfter(all, ['--left-out', 'HEAD']);
    const parts = leftOut.join('\n').split('!! LEFT OUT').slice(1);
    const [withoutTime = [], unchanged = []] = parts.map((part) => part.trim().split('\n   '));
    expect(withoutTime).toContain('test/memory-limits.e2e.spec.ts');
    expect(withoutTime).not.toContain('libs/messaging/src/broker-late.int.spec.ts');
    expect(unchanged).toContain('test/upgrade.e2e.spec.ts');
  });

  it('begin in CI with those for which the run before had no time', async () => {
    const owedAfter = (changed: string[], owed?: string[]) => nightlyFilesAfter(changed, ['--owed', 'HEAD'], owed);
    const before = await owedAfter(all);
    expect(before).toContain('test/memory-limits.e2e.spec.ts');
    const after = await owedAfter(all, before);
    expect(after).not.toEqual([]);
    expect(after).not.toContain(before[0]);
    expect(await owedAfter(['docs/api.md'], before)).toEqual([]);
  });

  it('are none for specs that run by themselves, and for documents', async () => {
    expect(await nightlyFilesAfter(['libs/messaging/src/amqp/a.spec.ts', 'docs/api.md'])).toEqual([none]);
  });
});

/** Lists the nightly files in a repository in which these files have changed since its only commit. */
async function nightlyFilesAfter(changed: string[], words = ['HEAD'], owed: string[] = []): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'idsync-tiers-'));
  try {
    const copied = ['tools/nightly-files.mjs', 'tools/command.mjs', 'test/tiers.mjs'];
    for (const file of copied) await cp(join(root, file), join(folder, file));
    const git = (...words: string[]) => execFileSync('git', words, { cwd: folder });
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    for (const file of changed) write(file, 'before');
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.test', 'commit', '--quiet', '--message', 'a');
    for (const file of changed) write(file, 'after');
    const options = { cwd: folder, encoding: 'utf8' as const, env: { ...env, IDSYNC_TEST_OWED: owed.join(' ') } };
    const { stdout, stderr } = spawnSync('node', ['tools/nightly-files.mjs', ...words], options);
    return (stdout + stderr).split('\n').filter(Boolean);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
