// `npm run test:changed -- --since <commit> --seconds 20`: runs tests related to the changes of the branch, the nearest
// first, as many as fit into the seconds, without those of bundled services. For documents and manifests, the tests that
// read them run. Both options are optional.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { commitOf, readWords, refuse, run } from './command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
const { values } = readWords({ options: { since: { type: 'string' }, seconds: { type: 'string', default: '20' } } });
const since = values.since === undefined ? branchPoint() : commitOf(values.since);
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', since),
  ...git('ls-files', '--others', '--exclude-standard'),
];
process.stdout.write(`${changed.length} files changed since ${since.slice(0, 12)}\n`);
if (changed.length > 0) process.exitCode = (await runRelated()).status;

/** The commit at which the branch left `main`. */
function branchPoint() {
  const [main] = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main', 'refs/heads/main').reverse();
  if (!main) refuse('there is neither origin/main nor main: name a commit with --since');
  return git('merge-base', 'HEAD', main)[0];
}

function runRelated() {
  const isCode = (file) => /\.[cm]?[jt]sx?$/.test(file);
  const documents = changed.filter((file) => !isCode(file));
  const readers = [
    'test/*.spec.ts',
    ...(documents.some((file) => file.startsWith('k8s/')) ? ['k8s/test/*.spec.ts'] : []),
  ];
  const readings = documents.length > 0 ? git('ls-files', ...readers) : [];
  const files = [...new Set([...changed.filter(isCode), ...readings])];
  const jest = 'node_modules/jest/bin/jest.js';
  const options = ['--passWithNoTests', '--testSequencer', './test/setup/nearest-first.mjs'];
  options.push('--selectProjects', 'fast', 'console', 'conformance', 'core', '--findRelatedTests');
  const env = { ...process.env, IDSYNC_TEST_SECONDS: values.seconds, IDSYNC_TEST_CHANGED: changed.join('\n') };
  return run(process.execPath, [jest, ...options, ...files], { cwd: root, env });
}
