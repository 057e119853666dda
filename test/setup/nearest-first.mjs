// The order of `npm run test:changed` and `npm run test:watch`: changed tests first, then those nearest to a change, as
// many as fit into IDSYNC_TEST_SECONDS. IDSYNC_TEST_CHANGED lists the changes, otherwise the uncommitted ones count.
import { execFileSync } from 'node:child_process';
import { basename, dirname, relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const workers = 2;
/** In which no test ends: Jest finds the tests, and the first of each worker loads its modules. */
const startSeconds = 2;
const unknownMs = { fast: 1_000, console: 4_000, conformance: 3_000, core: 5_000 };

/** Same subject for `cursor.spec.ts`, `cursor.int.spec.ts` and `cursor.ts`. */
const subjectOf = (path) => basename(path).split('.')[0];
/** Package of a file, or its top-level folder. */
const packageOf = (path) => /^(?:apps|libs)\/[^/]+|^[^/]+/.exec(path)?.[0];

export default class NearestFirst extends TestSequencer {
  sort(tests) {
    const place = placesBeside(changedFiles());
    const candidates = super.sort(tests).map((test) => ({ test, ...place(test) }));
    candidates.sort((one, other) => one.distance - other.distance || one.ms - other.ms);
    let leftMs = (Number(process.env.IDSYNC_TEST_SECONDS) - startSeconds) * 1_000 * workers;
    const chosen = candidates.filter(({ distance, ms }) => {
      const fits = distance === 0 || ms <= leftMs;
      if (fits) leftMs -= ms;
      return fits;
    });
    const leftOut = candidates.length - chosen.length;
    if (leftOut > 0) process.stderr.write(`${leftOut} related test files are skipped; npm test runs them\n`);
    return chosen.map(({ test }) => test);
  }
}

function changedFiles() {
  const listed = process.env.IDSYNC_TEST_CHANGED ?? uncommitted();
  return listed.split('\n').filter(Boolean);
}

function uncommitted() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' });
  return git('diff', '--name-only', '--relative', 'HEAD') + git('ls-files', '--others', '--exclude-standard');
}

function placesBeside(changed) {
  const subjects = new Set(changed.map(subjectOf));
  const folders = new Set(changed.map(dirname));
  const packages = new Set(changed.map(packageOf));
  return ({ path, duration, context }) => {
    const file = relative(context.config.rootDir, path);
    const project = context.config.displayName?.name;
    const unit = project !== 'core';
    // A test that sets the clock back has a negative duration.
    const ms = duration > 0 ? duration : unknownMs[project];
    // They need bundles, which are not built.
    if (file.endsWith('.e2e.spec.ts')) return { distance: 9, ms: Number.POSITIVE_INFINITY };
    if (changed.includes(file)) return { distance: 0, ms };
    if (!packages.has(packageOf(file))) return { distance: unit ? 5 : 6, ms };
    if (subjects.has(subjectOf(file))) return { distance: 1, ms };
    if (!unit) return { distance: 4, ms };
    return { distance: folders.has(dirname(file)) ? 2 : 3, ms };
  };
}
