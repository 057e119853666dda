// The configuration of all tests, with mutants in the code.
import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export default {
  ...config,
  rootDir,
  maxWorkers: 1,
  reporters: ['default'],
  projects: config.projects.map((project) => ({
    ...project,
    rootDir,
    transform: { '^.+\\.ts$': here('transform.mjs') },
    testEnvironment: here('environment.mjs'),
  })),
};
