import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = dirname(import.meta.dirname);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'idsync-npm-test-'));
  const files = ['test/setup/allowed-skips.mjs', 'test/setup/skip-rules.mjs'];
  for (const file of ['tools/test.mjs', 'tools/command.mjs', ...files]) await cp(join(root, file), join(folder, file));
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder });
  git('init', '--quiet');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '--message', 'a');
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(folder, 'node_modules/.bin/turbo'), '#!/bin/sh\n', { mode: 0o755 });
  await mkdir(join(folder, 'node_modules/jest/bin'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface File {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  skipped?: string;
}

/** Runs `npm test` with a Jest whose runs end as given, one after another. */
async function npmTest(words: string[], ...runs: File[][]) {
  const results = runs.map((files) => ({
    numPassedTests: files.filter(({ status }) => status === 'passed').length,
    numFailedTests: files.filter(({ status }) => status === 'failed').length,
    numPendingTests: files.filter(({ skipped }) => skipped).length,
    numTotalTestSuites: files.length,
    testResults: files.map(({ name, status, skipped }) => ({
      ...{ name: join(folder, name), status, message: `why ${name} failed` },
      assertionResults: [
        ...(status === 'skipped' ? [] : [{ title: 'works', fullName: 'it works', status }]),
        ...(skipped ? [{ title: skipped, fullName: skipped, status: 'pending' }] : []),
      ],
    })),
  }));
  await writeFile(join(folder, 'results.json'), JSON.stringify(results));
  const jest = `
    const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
    const words = process.argv.slice(2);
    appendFileSync('runs', words.slice(0, -3).join(' ') + '\\n');
    const at = readFileSync('runs', 'utf8').trim().split('\\n').length - 1;
    const result = JSON.parse(readFileSync('results.json', 'utf8'))[at];
    console.error('log of run ' + at);
    if (words.includes('long')) console.error('x'.repeat(2_000_000));
    if (result) writeFileSync(words.at(-1), JSON.stringify(result));
    process.exitCode = result && result.numFailedTests === 0 ? 0 : 1;`;
  await writeFile(join(folder, 'node_modules/jest/bin/jest.js'), jest);
  return new Promise<{ code: number; output: string; runs: string[] }>((resolve) => {
    execFile(
      process.execPath,
      ['tools/test.mjs', ...words],
      { cwd: folder, maxBuffer: 1e8, env: { ...process.env, IDSYNC_TEST_FLAKY: join(folder, 'flaky') } },
      async (error, stdout, stderr) => {
        const noted = await readFile(join(folder, 'runs'), 'utf8').catch(() => '');
        resolve({
          code: error ? Number(error.code) : 0,
          output: stdout + stderr,
          runs: noted.split('\n').filter(Boolean),
        });
      },
    );
  });
}

const passed = (name: string): File => ({ name, status: 'passed' });
const failed = (name: string): File => ({ name, status: 'failed' });
const projects = 'fast, console, conformance, core, more, nightly';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('npm test', () => {
  it('ends with one line of counts', async () => {
    const { code, output } = await npmTest([], [passed('a'), passed('b')]);
    expect(code).toBe(0);
    expect(output).toMatch(/\nnpm test: 2 passed, 0 failed, 0 skipped, 0 files flaky; 2 files, \d+ s\n$/);
  });

  it.each([
    [[], 'fast console core'],
    [['--tiers', 'core,more'], 'core more'],
    [['--tiers=all'], 'fast console conformance core more nightly'],
    [['a'], 'fast console conformance core more nightly --passWithNoTests a'],
    [['-w', '1'], 'fast console core --passWithNoTests -w 1'],
    [['--tiers', 'core', '--since', 'HEAD'], 'core nightly'],
  ])('with %j runs %s', async (words, expected) => {
    const { runs } = await npmTest(words, [passed('a')]);
    expect(runs[0]).toContain(`--selectProjects ${expected}`);
  });

  it('repeats a file that failed once, alone, and reports it as flaky with both logs if it passes then', async () => {
    const { code, output, runs } = await npmTest([], [passed('a'), failed('b')], [passed('b')]);
    expect(code).toBe(0);
    expect(runs[1]).toBe('--runInBand --runTestsByPath b');
    expect(output).toMatch(/FLAKY: b failed, and passed alone.*why b failed.*log of run 1.*1 files flaky/s);
    expect(await readFile(join(folder, 'flaky'), 'utf8')).toBe('b\n');
  });

  it('fails for a flaky file with --flaky fail', async () => {
    expect((await npmTest(['--flaky', 'fail'], [failed('b')], [passed('b')])).code).toBe(1);
  });

  it('fails for a file that fails twice', async () => {
    const { code, output } = await npmTest([], [failed('a'), failed('b')], [passed('a')], [failed('b')]);
    expect(code).toBe(1);
    expect(output).toContain('FLAKY: a');
    expect(output).not.toContain('FLAKY: b');
  });

  it('does not repeat more than three files', async () => {
    const { code, runs } = await npmTest([], ['a', 'b', 'c', 'd'].map(failed));
    expect(code).toBe(1);
    expect(runs).toHaveLength(1);
  });

  it('fails for a skipped test that is not on the list of allowed skips', async () => {
    const { code, output } = await npmTest([], [{ name: 'a', status: 'passed', skipped: 'is forgotten' }]);
    expect(code).toBe(1);
    expect(output).toContain('a: "is forgotten" was skipped, but it is not on the list of allowed skips');
  });

  it('fails for a part of a path that no file has, and names it', async () => {
    const { code, output } = await npmTest(['a', 'absent', '--verbose'], [passed('a')]);
    expect(code).toBe(1);
    expect(output).toContain(`no test file of ${projects} matches absent\n`);
  });

  it.each([
    ['a|b', ['a|b'], []],
    ['a|b', ['--since', 'HEAD', 'a|b'], []],
    ['-t absent', ['-t', 'absent'], [{ name: 'a', status: 'skipped', skipped: 'works' } as const]],
  ])('fails for %s if no test matches it, with %j', async (named, words, files) => {
    const { code, output } = await npmTest(words, [...files]);
    expect(code).toBe(1);
    expect(output).toContain(`no test of ${projects} ran for ${named}\n`);
  });

  it('passes if all tests of a file are skipped for an allowed reason, and prints it', async () => {
    const name = 'libs/connectors/src/download/web-file-conformance.spec.ts';
    const skipped = 'jsonl at a URL invalid responses: a file is not a list of responses';
    const { code, output } = await npmTest([name], [{ name, status: 'skipped', skipped }]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Skipped: 1 tests, because') });
  });

  it('passes if a change concerns no nightly file', async () => {
    expect((await npmTest(['--tiers', 'nightly', '--since', 'HEAD'], [])).code).toBe(0);
  });

  it.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)('leaves no process running at %s', async (signal) => {
    const jest = `
      const { pid } = require('node:child_process').spawn('sleep', ['1000']);
      require('node:fs').writeFileSync('pids', process.pid + ' ' + pid + ' ');
      setInterval(() => undefined, 1_000);`;
    await writeFile(join(folder, 'node_modules/jest/bin/jest.js'), jest);
    const child = spawn(process.execPath, ['tools/test.mjs'], { cwd: folder, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const pids = await until(async () => {
      const text = await readFile(join(folder, 'pids'), 'utf8').catch(() => '');
      return text.endsWith(' ') && text.trim().split(' ').map(Number);
    }, 'tests that run');
    child.kill(signal);
    expect(await ended).toEqual([128 + constants.signals[signal], null]);
    await until(() => !pids.some(isRunning), 'the end of the tests');
  });

  it('reports a flaky file with a long log', async () => {
    const { code, output } = await npmTest(['--tiers', 'core'], [failed('long')], [passed('long')]);
    expect(code).toBe(0);
    expect(output).toContain('1 files flaky');
  });

  it('shows the errors of a failed build', async () => {
    const turbo = '#!/bin/sh\necho "src/a.ts(1,1): error TS1005"\nexit 2\n';
    await writeFile(join(folder, 'node_modules/.bin/turbo'), turbo, { mode: 0o755 });
    const { code, output, runs } = await npmTest([], [passed('a')]);
    expect({ code, output, runs }).toEqual({ code: 2, output: 'src/a.ts(1,1): error TS1005\n', runs: [] });
  });

  it('fails if Jest ends without results', async () => {
    expect((await npmTest([])).code).toBe(1);
  });

  it.each([
    [['--tiers', 'slow'], '--tiers must be of fast, console, conformance, core, more, nightly, or all; got slow'],
    [['--since'], '--since needs a value'],
    [['--since', 'nothing'], '--since must be a commit, got nothing'],
    [['--flaky', 'pass'], '--flaky must be fail, got pass'],
  ])('refuses %j', async (words, message) => {
    const { code, output } = await npmTest(words);
    expect({ code, output }).toEqual({ code: 2, output: `${message}\n` });
  });
});

describe('the commands for tests of changes', () => {
  it.each([
    ['test-changed.mjs --since nothing', '--since must be a commit, got nothing'],
    ['test-changed.mjs --nothing', "Unknown option '--nothing'"],
    ['test-changed.mjs --seconds few', '--seconds must be above 0, got few'],
    ['test-watch.mjs --seconds few', '--seconds must be above 0, got few'],
    ['test-watch.mjs --nothing', "Unknown option '--nothing'"],
    ['nightly-files.mjs nothing', '--since must be a commit, got nothing'],
  ])('refuse %s with one line', (words, message) => {
    const { status, stderr } = spawnSync(process.execPath, `tools/${words}`.split(' '), {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
