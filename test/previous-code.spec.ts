import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { previousCommit } from './support/previous-code.js';

const migrations = 'libs/database/src/migrations';
let folder: string;

const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...words], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
/** Commits this file; returns the commit. */
function commit(path: string, text: string): string {
  writeFileSync(join(folder, path), text);
  git('add', '.');
  git('commit', '--quiet', '--message', path);
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'idsync-previous-'));
  git('init', '--quiet', '--initial-branch', 'main');
  mkdirSync(join(folder, migrations), { recursive: true });
  commit(`${migrations}/1-first.ts`, '');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the previous version is the commit that dated the newest release, also after its section has changed', () => {
  commit('CHANGELOG.md', '## 0.1.0 (unreleased)\n');
  const first = commit('CHANGELOG.md', '## Unreleased\n\n## 0.1.0 (2026-01-02)\n');
  commit('CHANGELOG.md', '## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\n- Corrected.\n');
  expect(previousCommit(folder)).toEqual({ commit: first, migrates: false });
  commit(`${migrations}/2-second.ts`, '');
  expect(previousCommit(folder)).toEqual({ commit: first, migrates: true });
  const second = commit('CHANGELOG.md', '## 0.2.0 (2026-02-03)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n');
  expect(previousCommit(folder)).toEqual({ commit: second, migrates: false });
});

it('the previous version is the merge that brought the date, with what else was merged before', () => {
  git('checkout', '--quiet', '-b', 'release');
  commit('CHANGELOG.md', '## 0.1.0 (2026-01-02)\n');
  git('checkout', '--quiet', 'main');
  commit(`${migrations}/1-first.ts`, 'changed');
  git('merge', '--quiet', '--no-ff', '--message', 'merge', 'release');
  expect(previousCommit(folder)).toEqual({ commit: git('rev-parse', 'HEAD'), migrates: false });
});

it('the previous version is unknown without a date, before its commit and in a shallow clone', () => {
  commit('CHANGELOG.md', '## 0.1.0 (unreleased)\n');
  expect(previousCommit(folder)).toEqual({ unknown: 'CHANGELOG.md has no release with a date' });
  writeFileSync(join(folder, 'CHANGELOG.md'), '## 0.1.0 (2026-01-02)\n');
  expect(previousCommit(folder)).toEqual({ unknown: 'no commit has "## 0.1.0 (2026-01-02)" in CHANGELOG.md' });
  const clone = join(folder, 'clone');
  git('clone', '--quiet', '--depth', '1', `file://${folder}`, clone);
  expect(previousCommit(clone)).toEqual({ unknown: expect.stringContaining('run "git fetch --unshallow"') });
});
