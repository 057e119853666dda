// Fails a run if its skipped tests differ from those that `allowed-skips.mjs` allows, and prints them by reason.
import { relative } from 'node:path';
import { allowedSkips } from './allowed-skips.mjs';
import { compareSkips } from './skip-rules.mjs';

const list = 'test/setup/allowed-skips.mjs';

export default class SkipReporter {
  constructor({ rootDir, testNamePattern }) {
    this.rootDir = rootDir;
    // With --testNamePattern, Jest reports all other tests as skipped.
    this.isActive = !testNamePattern;
  }

  async onRunComplete(_contexts, { testResults }) {
    this.error = undefined;
    if (!this.isActive) return;
    const files = testResults
      .filter(({ testExecError }) => !testExecError)
      .map(({ testFilePath, testResults: tests }) => ({
        path: relative(this.rootDir, testFilePath),
        tests: tests.map(({ title, fullName, status }) => ({ title, fullName, skipped: notRun.has(status) })),
      }));
    const { problems, reasons } = await compareSkips(files, allowedSkips);
    for (const { because, tests } of reasons) {
      process.stderr.write(`\nSkipped as ${list} allows: ${tests.length} tests, because ${because}\n`);
      if (process.env.CI === 'true') process.stderr.write(tests.map((test) => `  ${test}\n`).join(''));
    }
    if (problems.length === 0) return;
    this.error = new Error(`the skipped tests differ from ${list}`);
    process.stderr.write(`\n${this.error.message}:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  }

  /** Jest fails the run if this returns an error. */
  getLastError() {
    return this.error;
  }
}

const notRun = new Set(['pending', 'skipped', 'disabled', 'todo']);
