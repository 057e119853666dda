// Mutation tests: tools/mutants.mjs starts StrykerJS once for each package. Only unit tests of the package run, because Jest
// loads the modules of every related test file again for each mutant.
import jest from './jest.config.mjs';

const { displayName, ...fast } = jest.projects.find(({ displayName }) => displayName === 'fast');

export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: {
    config: {
      ...fast,
      projects: [],
      roots: [`<rootDir>/${process.env.IDSYNC_MUTANTS_PACKAGE}/src`],
    },
  },
  coverageAnalysis: 'perTest',
  // Code that runs on import would need every test of the package.
  ignoreStatic: true,
  // Texts are for people, and the compiler finds empty objects.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
  disableTypeChecks: false,
  ignorePatterns: ['/*', '!/apps', '!/libs', '!/test', '!/package.json', '!/jest.config.mjs', 'dist'],
  tempDirName: '.stryker-tmp',
  cleanTempDir: 'always',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowEmojis: false, reportTests: false, reportScoreTable: false },
  jsonReporter: { fileName: '.stryker-tmp/report.json' },
};
