// `npm run mutants -- --since main`: changes the lines of a branch in small ways, and reports which changes no unit test notices.
// Or names files and folders. Options:
//
//   --lines 200 --seed 7  about so many lines, in files of one package that have unit tests; the seed chooses them
//   --floor 80            fails if tests notice less than 80 % of the changes that they reach
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installApart } from './install-apart.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const names = ['since', 'lines', 'seed', 'floor'];
const { values, positionals } = parseArgs({
  options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  allowPositionals: true,
});
const { since, lines, seed = '1', floor = '0' } = values;
const git = (...words) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 1e9 }).split('\n').filter(Boolean);
const packageOf = (file) => file.split('/').slice(0, 2).join('/');

const chosen = since ? changedRanges() : lines ? sample(Number(lines)) : sources(positionals);
const apart = new URL('mutants', import.meta.url);
installApart(apart);
let [noticed, reached] = [0, 0];
for (const folder of new Set(chosen.map(packageOf))) {
  const mutate = chosen.filter((file) => packageOf(file) === folder).join(',');
  const env = { ...process.env, IDSYNC_MUTANTS_PACKAGE: folder };
  const { status } = spawnSync(`${fileURLToPath(apart)}/node_modules/.bin/stryker`, ['run', '--mutate', mutate], {
    stdio: 'inherit',
    env,
  });
  if (status !== 0) process.exit(1);
  const { files } = JSON.parse(readFileSync('.stryker-tmp/report.json', 'utf8'));
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  noticed += statuses.filter((status) => status === 'Killed' || status === 'Timeout').length;
  reached += statuses.filter((status) => ['Killed', 'Timeout', 'Survived'].includes(status)).length;
}
process.stdout.write(`tests notice ${noticed} of the ${reached} changes that they reach\n`);
if (100 * noticed < Number(floor) * reached) process.exitCode = 1;

function sources(paths) {
  return git('ls-files', '--', ...paths).filter(
    (file) => /^(?:apps|libs)\/[^/]+\/src\/.*\.ts$/.test(file) && !/\.spec\.ts$/.test(file),
  );
}

/** `file:from-to` for the lines of the branch. */
function changedRanges() {
  const base = git('merge-base', since, 'HEAD')[0];
  return sources(git('diff', '--name-only', '--diff-filter=d', base)).flatMap((file) =>
    git('diff', '--unified=0', base, '--', file).flatMap((line) => {
      const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      return from && count !== '0' ? [`${file}:${from}-${Number(from) + Number(count) - 1}`] : [];
    }),
  );
}

function sample(wanted) {
  const rank = (file) => createHash('sha256').update(`${seed}:${file}`).digest('hex');
  const tested = sources(['apps', 'libs']).filter((file) => existsSync(file.replace(/\.ts$/, '.spec.ts')));
  const [first = '', ...others] = tested.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
  let left = wanted;
  return [first, ...others.filter((file) => packageOf(file) === packageOf(first))].filter((file) => {
    const isWanted = left > 0;
    if (isWanted) left -= readFileSync(file, 'utf8').split('\n').length;
    return isWanted;
  });
}
