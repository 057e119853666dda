// Stands for `@jest/globals`. A module that several test files import is loaded once, so each function calls that of the
// file that runs.
const current = Symbol.for('idsync.jest');

const ofCurrentFile = (name) =>
  new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(globalThis[current][name], self, args),
    get: (_, key) => globalThis[current][name][key],
  });

export const describe = ofCurrentFile('describe');
export const it = ofCurrentFile('it');
export const test = ofCurrentFile('test');
export const expect = ofCurrentFile('expect');
export const jest = ofCurrentFile('jest');
export const beforeAll = ofCurrentFile('beforeAll');
export const beforeEach = ofCurrentFile('beforeEach');
export const afterAll = ofCurrentFile('afterAll');
export const afterEach = ofCurrentFile('afterEach');
