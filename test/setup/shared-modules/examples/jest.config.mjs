// Runs the examples as `jest.config.mjs` runs all tests, in one process.
import { fileURLToPath } from 'node:url';
import config from '../../../../jest.config.mjs';

const rootDir = fileURLToPath(new URL('../../../..', import.meta.url));
const [{ displayName, testMatch, testPathIgnorePatterns, ...fast }] = config.projects;

export default {
  ...fast,
  rootDir,
  testMatch: ['<rootDir>/test/setup/shared-modules/examples/{first,second,failing}.ts'],
  testSequencer: fileURLToPath(new URL('as-named.mjs', import.meta.url)),
  testTimeout: config.testTimeout,
};
