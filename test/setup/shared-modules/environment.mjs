// The environment of test files is the process itself. After each file, its changes to the process are reverted.
import { basename } from 'node:path';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const { exit } = process;
/** Symbols under which Jest keeps the tests of a file, its `jest.setTimeout` and handlers of events. */
const ofOneFile = new Set(['JEST_STATE_SYMBOL', 'TEST_TIMEOUT_SYMBOL', 'EVENT_HANDLERS']);

export default class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #console = globalThis.console;
  #env = { ...process.env };

  constructor({ projectConfig }, { testPath }) {
    // Shown by ps and top.
    process.title = `jest ${basename(testPath)}`;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    process.exit = exit;
    globalThis.console = this.#console;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (ofOneFile.has(symbol.description)) delete globalThis[symbol];
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest requires it, and uses its absence as a sign that there is no separate context. */
  getVmContext() {
    return null;
  }
}
