// The configuration of all tests, with mutants in the code.
import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** TypeScript is compiled by `transform.mjs`, with the same settings. */
function withMutants(transform) {
  return { ...transform, '\\.ts$': [here('transform.mjs'), transform['\\.ts$'][1]] };
}

export default {
  ...config,
  rootDir,
  maxWorkers: 1,
  reporters: ['default'],
  projects: config.projects.map((project) => ({
    ...project,
    rootDir,
    transform: withMutants(project.transform),
    testEnvironment: here('environment.mjs'),
  })),
};
