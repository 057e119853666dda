// In watch mode, each run has new processes, because Node loads a module only once per process.
import JestRunner from 'jest-runner';

export default class Runner extends JestRunner {
  runTests(tests, watcher, options) {
    const { watch, watchAll } = this._globalConfig;
    return super.runTests(tests, watcher, { ...options, serial: options.serial && !watch && !watchAll });
  }
}
