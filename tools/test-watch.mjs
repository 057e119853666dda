// `npm run test:watch`: after every change, the tests related to uncommitted changes, the nearest first, as many as run in
// about four seconds; --seconds sets another time. `npm run test:watch -- turns`: all tests whose path contains "turns".
import { fileURLToPath } from 'node:url';
import { readWords, run } from './command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = readWords({
  options: { seconds: { type: 'string', default: '4' } },
  allowPositionals: true,
});
const nearest = ['--watch', '--testSequencer', './test/setup/nearest-first.mjs'];
nearest.push('--selectProjects', 'fast', 'console', 'conformance', 'core');
const [options, env] =
  positionals.length > 0
    ? [['--watchAll', ...positionals], process.env]
    : [nearest, { ...process.env, IDSYNC_TEST_SECONDS: values.seconds }];
const { status } = await run(process.execPath, ['node_modules/jest/bin/jest.js', ...options], { cwd: root, env });
process.exitCode = status;
