import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('../tools/release-notes.mjs', import.meta.url));
let folder: string;

const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...words], { cwd: folder });
const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message);

function notes(env: Record<string, string> = {}): { status: number | null; stdout: string; stderr: string } {
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
  return spawnSync(process.execPath, [program], { cwd: folder, encoding: 'utf8', env: { ...inherited, ...env } });
}

function release(version: string, changelog: string): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${changelog}`);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'idsync-notes-'));
  git('init', '--quiet');
  commit('feat(gateway): the beginning');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the notes of a release', () => {
  it('are its section of the changelog if it is the first', () => {
    release('0.1.0', '## Unreleased\n\n- Later.\n\n## 0.1.0 (2026-01-02)\n\nFirst, see [docs](docs/api.md).\n');
    git('tag', 'v0.1.0');
    const { stdout } = notes({ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'acme/idsync' });
    expect(stdout).toBe('First, see [docs](https://github.com/acme/idsync/blob/v0.1.0/docs/api.md).\n');
  });

  it.each([[], ['v0.2.0']])('list the commits since the previous tag by kind, with HEAD tagged %j', (...tags) => {
    git('tag', 'v0.1.0');
    for (const each of ['fix(cli): a fix', 'docs: none', 'refactor(client)!: a break', 'feat(api): new', 'feat: newer'])
      commit(each);
    for (const tag of tags) git('tag', tag);
    release('0.2.0', '## 0.2.0 (2026-02-03)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\nFirst.\n');
    const { stdout } = notes();
    expect(stdout.replace(/ \([\da-f]{8}\)$/gm, ' (id)')).toBe(`- New.

## Commits since v0.1.0

### Breaking changes

- *client:* a break (id)

### Features

- *api:* new (id)
- newer (id)

### Fixes

- *cli:* a fix (id)
`);
  });

  it.each(['## 0.2.0 (unreleased)\n\n- New.\n', '## 0.1.0 (2026-01-02)\n'])('refuse the changelog %j', (changelog) => {
    release('0.2.0', changelog);
    const { status, stderr } = notes();
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('"## 0.2.0 (YYYY-MM-DD)", got "'),
    });
  });
});
