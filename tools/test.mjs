// `npm test`: builds, then runs the tests that need nothing but Node, tiers fast, console and core of test/tiers.mjs.
//
//   npm test -- pipeline                 the files whose path contains it, of whichever tier; takes options of Jest, too
//   npm test -- --tiers core,more        other tiers, or `all`
//   npm test -- --since <commit>         also the nightly files that the changes since the commit concern
//   npm test -- --flaky fail             fails if a file had to be repeated
//
// A file that fails is run again once, alone. If it then passes, it is reported as flaky, with both logs.
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedSkips } from '../test/setup/allowed-skips.mjs';
import { compareSkips } from '../test/setup/skip-rules.mjs';
import { commitOf, refuse, run } from './command.mjs';

const tiers = ['fast', 'console', 'conformance', 'core', 'more', 'nightly'];
const byDefault = ['fast', 'console', 'core'];
/** With more failed files than that, the code is broken and not the files flaky. */
const mostRepeats = 3;

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { own, passedOn } = read(process.argv.slice(2));
const namesFiles = /^[^-]|^--(testPathPattern|runTestsByPath)/;
const namesTests = /^(-t|--testNamePattern)/;
/** Words after an option may be its values. */
const selectsBy = (pattern) => passedOn.some((word, at) => (at === 0 || word.startsWith('-')) && pattern.test(word));
const projects = chosen(own.tiers);
if (own.since !== undefined) {
  if (!projects.includes('nightly')) projects.push('nightly');
  process.env.IDSYNC_TEST_SINCE = commitOf(own.since);
}

const began = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'idsync-results-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
process.exitCode = (await build()) || (await test());

/** Returns the exit code. */
async function test() {
  const { status, results } = await jest(['--selectProjects', ...projects, '--passWithNoTests', ...passedOn]);
  // Jest refused its options, or was stopped.
  if (!results) return status;
  const unknown = namesWithout(results);
  if (unknown.length > 0) print(`\nno test file of ${projects.join(', ')} matches ${unknown.join(', ')}`);
  const failures = results.testResults.filter(({ status }) => status === 'failed');
  const isEmpty = unknown.length === 0 && failures.length === 0 && hasNone(results);
  if (isEmpty) print(`\nno test of ${projects.join(', ')} ran for ${passedOn.join(' ')}`);
  const flaky = [];
  if (failures.length <= mostRepeats)
    for (const failure of failures) if (await passesAlone(failure)) flaky.push(failure);
  const badSkips = await reportSkips(results);
  print(countsOf(results, flaky.length));
  if (unknown.length > 0 || isEmpty || badSkips || failures.length > flaky.length) return 1;
  if (flaky.length > 0 && own.flaky === 'fail') return 1;
  // Jest also fails for what is no test.
  return failures.length > 0 ? 0 : status;
}

/** Separates the options of this program from those of Jest. */
function read(words) {
  const own = {};
  const passedOn = [];
  for (let at = 0; at < words.length; at += 1) {
    const [, name, value] = /^--(tiers|since|flaky)(?:=(.*))?$/.exec(words[at]) ?? [];
    if (!name) passedOn.push(words[at]);
    else own[name] = value ?? words[++at] ?? refuse(`--${name} needs a value`);
  }
  if (own.flaky !== undefined && own.flaky !== 'fail') refuse(`--flaky must be fail, got ${own.flaky}`);
  return { own, passedOn };
}

function chosen(named) {
  if (!named) return [...(selectsBy(namesFiles) || selectsBy(namesTests) ? tiers : byDefault)];
  const projects = named === 'all' ? [...tiers] : named.split(',');
  const unknown = projects.filter((name) => !tiers.includes(name));
  if (unknown.length > 0) refuse(`--tiers must be of ${tiers.join(', ')}, or all; got ${unknown.join(', ')}`);
  return projects;
}

/** Returns the given parts of paths, patterns aside, that no tested file has. Words after an option may be its values. */
function namesWithout({ testResults }) {
  const option = passedOn.findIndex((word) => word.startsWith('-'));
  const words = option < 0 ? passedOn : passedOn.slice(0, option);
  const paths = testResults.map(({ name }) => name.toLowerCase());
  const names = words.filter((word) => /^[\w./-]+$/.test(word));
  return names.filter((name) => !paths.some((path) => path.includes(name.toLowerCase())));
}

/** Whether nothing that was selected ran. A change may concern no nightly file, and a file may skip all of its tests. */
function hasNone({ numTotalTestSuites, numPassedTests }) {
  if (selectsBy(namesTests)) return numPassedTests === 0;
  return numTotalTestSuites === 0 && (own.since === undefined || selectsBy(namesFiles));
}

async function build() {
  const words = ['run', 'build', 'programs', 'test-programs', '--output-logs=errors-only', '--log-order=grouped'];
  const { status, output } = await run('node_modules/.bin/turbo', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  // The compiler writes its errors to standard output, as turbo does its progress.
  if (status !== 0) process.stderr.write(output);
  return status;
}

async function jest(options, stdio = 'inherit') {
  const outputFile = join(folder, 'results.json');
  rmSync(outputFile, { force: true });
  const words = ['node_modules/jest/bin/jest.js', ...options, '--json', '--outputFile', outputFile];
  return { ...(await run(process.execPath, words, { stdio })), results: resultsIn(outputFile) };
}

/** Undefined if Jest ended before it had results, for example for an invalid option. */
function resultsIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Repeats a file that failed, and reports it if it passes. */
async function passesAlone({ name, message }) {
  const file = relative(root, name);
  print(`\nOnce more, alone: ${file}`);
  const { status, output } = await jest(['--runInBand', '--runTestsByPath', file], ['ignore', 'inherit', 'pipe']);
  if (status === 0) {
    print(`\nFLAKY: ${file} failed, and passed alone. The first log:\n\n${message}\n\nThe second:`);
    if (process.env.IDSYNC_TEST_FLAKY) appendFileSync(process.env.IDSYNC_TEST_FLAKY, `${file}\n`);
  }
  print(output);
  return status === 0;
}

/** Prints the skipped tests by reason; returns whether they differ from those that are allowed. */
async function reportSkips({ testResults }) {
  // With --testNamePattern, Jest reports all other tests as skipped.
  if (selectsBy(namesTests)) return false;
  const files = testResults
    .filter(({ assertionResults }) => assertionResults.length > 0)
    .map(({ name, assertionResults }) => ({
      path: relative(root, name),
      tests: assertionResults.map(({ title, fullName, status }) => ({ title, fullName, skipped: isSkip(status) })),
    }));
  const { problems, reasons } = await compareSkips(files, allowedSkips);
  for (const { because, tests } of reasons) {
    print(`\nSkipped: ${tests.length} tests, because ${because}`);
    if (process.env.CI === 'true') print(tests.map((test) => `  ${test}`).join('\n'));
  }
  if (problems.length > 0) print(`\ntest/setup/allowed-skips.mjs differs:\n  ${problems.join('\n  ')}`);
  return problems.length > 0;
}

function isSkip(status) {
  return ['pending', 'skipped', 'disabled', 'todo'].includes(status);
}

function countsOf({ numPassedTests, numTotalTestSuites, numPendingTests, numFailedTests }, flaky) {
  const seconds = Math.round((Date.now() - began) / 1_000);
  const outcome = `${numFailedTests} failed, ${numPendingTests} skipped, ${flaky} files flaky`;
  return `\nnpm test: ${numPassedTests} passed, ${outcome}; ${numTotalTestSuites} files, ${seconds} s`;
}

function print(text) {
  process.stderr.write(`${text}\n`);
}
