import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
 * Returns the newest release, or why it is unknown: the main-line commit that wrote its date into CHANGELOG.md, because
 * a clone may lack tags.
 */
export function previousCommit(checkout = root): PreviousCommit {
  const git = (...words: string[]) => gitIn(checkout, ...words);
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true')
      return { unknown: 'the clone is shallow and may lack the newest release; run "git fetch --unshallow"' };
    const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
    const [heading] = /^## \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$/m.exec(changelog) ?? [];
    if (!heading) return { unknown: 'CHANGELOG.md has no release with a date' };
    const dated = git('log', '--first-parent', '-m', '--format=%H', '-S', heading, '--', 'CHANGELOG.md');
    const commit = dated.split('\n').at(-1);
    if (!commit) return { unknown: `no commit has "${heading}" in CHANGELOG.md` };
    const released = git('ls-tree', '--name-only', commit, `${migrationsDir}/`).split('\n');
    const files = readdirSync(join(checkout, migrationsDir)).map((file) => `${migrationsDir}/${file}`);
    return { commit, migrates: files.some((file) => !released.includes(file)) };
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
      gitIn(root, 'archive', '--format=tar', `--output=${archive}`, commit);
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

function gitIn(cwd: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
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
