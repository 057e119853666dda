// Three projects: `fast` is pure and takes seconds; `conformance` runs connectors against local servers and checks
// manifests, OpenAPI and documents; `integration` needs a real PostgreSQL and a real RabbitMQ.
import { readdirSync, readFileSync } from 'node:fs';

const connectors = 'libs/connectors/src';
/** Specs of connectors that use the servers and source files of `libs/connectors/test`. */
const usingServers = readdirSync(new URL(connectors, import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.spec.ts') && !file.endsWith('.int.spec.ts'))
  .map((file) => `${connectors}/${file}`)
  .filter((file) => /from '(\.\.\/)+test\//.test(readFileSync(new URL(file, import.meta.url), 'utf8')))
  .map((file) => `<rootDir>/${file}`);
const checkingOpenApi = '<rootDir>/libs/contracts/src/http/openapi.spec.ts';

const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '<rootDir>/test/setup/transform.mjs' },
  dependencyExtractor: '<rootDir>/test/setup/dependencies.mjs',
  modulePathIgnorePatterns: ['/dist/', '/.data/'],
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/test/setup/fast-check.mjs',
    '^@idsync/(client|contracts|database|embedded-postgres|messaging|connectors|runtime|testing)$':
      '<rootDir>/libs/$1/src/index.ts',
    '^@idsync/contracts/parse-url$': '<rootDir>/libs/contracts/src/parse-url.ts',
    '^@idsync/database/(\\w+)$': '<rootDir>/libs/database/src/$1/index.ts',
    '^@idsync/(gateway|directory|sync-worker|webhook-dispatcher|standalone)$': '<rootDir>/apps/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  setupFiles: ['<rootDir>/test/setup/native-errors.mjs'],
};

export default {
  reporters: ['default', '<rootDir>/test/setup/skip-reporter.mjs'],
  // Only limits tests that hang, since a busy machine is many times slower than an idle one. Files whose tests take more
  // than 10 s on a busy machine, or start services, set a longer one.
  testTimeout: 60_000,
  // Two files at a time on any machine. Each has its own database, vhost and ports; the largest files take forty of the
  // hundred connections that PostgreSQL allows.
  maxWorkers: 2,
  // Jest keeps modules of finished files in memory, so a worker that holds much memory is replaced.
  workerIdleMemoryLimit: '512MB',
  // Covers code that runs in Jest, not services that tests start from dist. The provider v8 takes three times as long.
  coverageProvider: 'babel',
  collectCoverageFrom: ['{apps,libs}/*/src/**/*.ts', '!**/*.spec.ts'],
  coverageReporters: ['text-summary', 'html'],
  projects: [
    {
      ...common,
      displayName: 'fast',
      testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.spec.ts'],
      testPathIgnorePatterns: [
        '\\.int\\.spec\\.ts$',
        ...[...usingServers, checkingOpenApi].map((file) => `^${file.replaceAll('.', '\\.')}$`),
      ],
    },
    {
      ...common,
      displayName: 'conformance',
      testMatch: [
        ...usingServers,
        checkingOpenApi,
        '<rootDir>/{k8s/test,test,test/compose,test/chaos,test/model}/*.spec.ts',
      ],
      testPathIgnorePatterns: ['\\.(int|e2e)\\.spec\\.ts$'],
    },
    {
      ...common,
      displayName: 'integration',
      testMatch: [
        '<rootDir>/{apps,libs}/*/src/**/*.int.spec.ts',
        '<rootDir>/k8s/test/*.int.spec.ts',
        '<rootDir>/test/*.e2e.spec.ts',
      ],
      globalSetup: '<rootDir>/test/setup/services-up.mjs',
      globalTeardown: '<rootDir>/test/setup/services-down.mjs',
    },
  ],
};
