import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const withinMs = 5 * 60_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const migrationsDir = 'libs/database/src/migrations';
const consoleFiles = 'apps/console/dist/static';
const apps = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'].map((app) => `apps/${app}`);

export type PreviousCommit =
  | {
      commit: string;
      /** Whether the current code has a migration that the commit lacks. */
      migrates: boolean;
    }
  | { unknown: string };

/**
 * Returns the last main-line commit before the newest migration, or why it is unknown. As long as there is only the
 * first migration, returns the commit that last changed it.
 */
export function previousCommit(): PreviousCommit {
  const files = readdirSync(join(root, migrationsDir))
    .filter((file) => /^\d/.test(file))
    .sort();
  const path = `${migrationsDir}/${files.at(-1)}`;
  const newest = (...filter: string[]) =>
    git('log', '--first-parent', '-m', ...filter, '-1', '--format=%H', '--', path);
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return { unknown: 'the clone is shallow' };
    if (files.length === 1) {
      const commit = newest();
      return commit ? { commit, migrates: false } : { unknown: 'the first migration is not committed' };
    }
    const added = newest('--diff-filter=A');
    // Uncommitted migrations come after the newest commit.
    return { commit: git('rev-parse', '--verify', added ? `${added}^1` : 'HEAD'), migrates: true };
  } catch (error) {
    return { unknown: (error as Error).message.trim() };
  }
}

/**
 * The code of a commit, built in a separate folder with the current packages, or with its own where the lockfile
 * differs. `bundled` builds only the programs, in a third of the time; `compiled` builds what tests of that commit use.
 */
export class PreviousCode {
  private constructor(readonly dir: string) {}

  static async build(commit: string, how: 'bundled' | 'compiled'): Promise<PreviousCode> {
    const code = new PreviousCode(await mkdtemp(join(tmpdir(), 'idsync-previous-')));
    try {
      const archive = join(code.dir, 'code.tar');
      git('archive', '--format=tar', `--output=${archive}`, commit);
      await run('tar', ['-xf', archive, '-C', code.dir]);
      if (await sameFile('package-lock.json', code.dir)) await linkPackages(code.dir);
      // `npm run` passes on the current settings, whose packages may differ from the previous version's.
      else
        await run(
          'npm',
          ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--engine-strict=false'],
          {
            cwd: code.dir,
            timeout: withinMs,
          },
        );
      const options = { cwd: code.dir, timeout: withinMs, maxBuffer: 2 ** 26 };
      if (how === 'bundled') {
        // The bundle contains the built console, which the tests do not open.
        await cp(join(root, consoleFiles), join(code.dir, consoleFiles), { recursive: true });
        await run(join(root, 'node_modules/.bin/rolldown'), ['-c'], options);
      } else {
        await run(join(root, 'node_modules/.bin/tsc'), ['-b', ...apps], options);
      }
      return code;
    } catch (error) {
      await code.remove();
      throw error;
    }
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

async function sameFile(path: string, dir: string): Promise<boolean> {
  const [ours, theirs] = await Promise.all([root, dir].map((each) => readFile(join(each, path), 'utf8')));
  return ours === theirs;
}

/** Links all packages except the workspaces, which are links within their own folder. */
async function linkPackages(dir: string): Promise<void> {
  for (const at of ['.', ...(await workspaces(dir))].map((each) => `${each}/node_modules`)) {
    if (existsSync(join(root, at))) await linkAll(at, dir);
  }
}

async function linkAll(at: string, dir: string): Promise<void> {
  await mkdir(join(dir, at), { recursive: true });
  for (const name of await readdir(join(root, at))) {
    const ours = join(root, at, name);
    if (name === '@idsync') await linkAll(join(at, name), dir);
    else await symlink((await lstat(ours)).isSymbolicLink() ? await readlink(ours) : ours, join(dir, at, name));
  }
}

async function workspaces(dir: string): Promise<string[]> {
  const each = ['libs', 'apps'].map(async (kind) => (await readdir(join(dir, kind))).map((name) => `${kind}/${name}`));
  return (await Promise.all(each)).flat();
}
