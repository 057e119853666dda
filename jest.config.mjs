// One project for each tier of tests: test/tiers.mjs. `fast`, `console` and `conformance` need no services; the others get a
// PostgreSQL, and a RabbitMQ if AMQP_URL is set.
import { readdirSync, readFileSync } from 'node:fs';
import { filesOf, nightlyInCi } from './test/tiers.mjs';

const connectors = 'libs/connectors/src';
/** Specs of connectors that use the servers and source files of `libs/connectors/test`. */
const usingServers = readdirSync(new URL(connectors, import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.spec.ts') && !file.endsWith('.int.spec.ts'))
  .map((file) => `${connectors}/${file}`)
  .filter((file) => /from '(\.\.\/)+test\//.test(readFileSync(new URL(file, import.meta.url), 'utf8')));
const checkingOpenApi = 'libs/contracts/src/http/openapi.spec.ts';

/** `npm test -- --since <commit>` limits the nightly files to those that the changes since then concern. */
const since = process.env.IDSYNC_TEST_SINCE;
const nightly = since ? nightlyInCi(since).run : filesOf('nightly');

const paths = (files) => files.map((file) => `<rootDir>/${file}`);
const ignored = (files) => files.map((file) => `/${file.replaceAll('.', '\\.')}$`);

const compiled = (syntax, tsx) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax, tsx, decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, react: { runtime: 'automatic' } },
      keepClassNames: true,
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  },
];
/** Packages with only ES modules. Tests run as CommonJS, which needs no flag of Node. */
const esModules = [
  '@nestjs',
  '@fastify/static',
  '@seriousme/openapi-schema-validator',
  'any-ascii',
  'canonicalize',
  'double-metaphone',
  'get-east-asian-width',
  'jose',
  'oauth4webapi',
  'oidc-provider',
  'openid-client',
];

const common = {
  setupFiles: ['<rootDir>/test/setup/errors-of-node.cjs'],
  transform: {
    '\\.ts$': compiled('typescript', false),
    '\\.tsx$': compiled('typescript', true),
    [`/node_modules/(${esModules.join('|')})/.*\\.m?js$`]: compiled('ecmascript'),
    '/test/(tiers|setup/(allowed-skips|check-statements|skip-rules))\\.mjs$': compiled('ecmascript'),
  },
  // `transform` names what is compiled.
  transformIgnorePatterns: [],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/(apps/cli/)?bundle/', '/.data/'],
  // Sources of the packages, so that no test uses an old `dist`.
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/test/setup/fast-check.cjs',
    '^canonicalize$': '<rootDir>/node_modules/canonicalize/lib/canonicalize.js',
    '^@idsync/(client|contracts)/(operator|subscriber|fixed-values|parse-url)$': '<rootDir>/libs/$1/src/$2.ts',
    '^@idsync/database/(\\w+)$': '<rootDir>/libs/database/src/$1/index.ts',
    '^@idsync/(gateway|directory|sync-worker|webhook-dispatcher|standalone)$': '<rootDir>/apps/$1/src/index.ts',
    '^@idsync/([\\w-]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};
const withServices = {
  ...common,
  setupFilesAfterEnv: ['<rootDir>/test/setup/log-statements.cjs'],
  globalSetup: '<rootDir>/test/setup/services-up.mjs',
  globalTeardown: '<rootDir>/test/setup/services-down.mjs',
};

/** Components of the console. */
const consoleProject = {
  ...common,
  displayName: 'console',
  testMatch: ['<rootDir>/apps/console/src/**/*.spec.tsx'],
  testEnvironment: 'jsdom',
  testEnvironmentOptions: { url: 'http://console.test/console/' },
  setupFiles: ['<rootDir>/apps/console/test/browser.cjs'],
  moduleNameMapper: { '\\.css$': '<rootDir>/apps/console/test/no-styles.cjs', ...common.moduleNameMapper },
};

export default {
  // Only limits tests that hang, since a busy machine is many times slower than an idle one. Longer than `until` waits,
  // which says for what.
  testTimeout: 300_000,
  // Tests with services leave two cores idle for a quarter of the time, because they wait. Each file has its own database,
  // vhost and ports. Three files take 52 connections at most; PostgreSQL allows a hundred.
  maxWorkers: 3,
  // A worker keeps memory of earlier files, so one that holds much is replaced.
  workerIdleMemoryLimit: '768MB',
  // After its last file, a worker without open handles takes a second to free its memory on a busy machine. After half of
  // that, Jest would kill it and report a leak.
  workerGracefulExitTimeout: 15_000,
  // Covers code that runs in Jest, not services that tests start from dist. The provider v8 takes three times as long.
  coverageProvider: 'babel',
  collectCoverageFrom: ['{apps,libs}/*/src/**/*.ts', '!**/*.spec.ts'],
  coverageReporters: ['text-summary', 'html'],
  projects: [
    {
      ...common,
      displayName: 'fast',
      testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.int\\.spec\\.ts$', ...ignored([...usingServers, checkingOpenApi])],
    },
    consoleProject,
    {
      ...common,
      displayName: 'conformance',
      testMatch: [
        ...paths([...usingServers, checkingOpenApi]),
        '<rootDir>/{k8s/test,test,test/compose,test/model}/*.spec.ts',
      ],
      testPathIgnorePatterns: ['\\.(int|e2e)\\.spec\\.ts$', ...ignored(filesOf('nightly'))],
    },
    {
      ...withServices,
      displayName: 'core',
      testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.int.spec.ts', ...paths(filesOf('core'))],
      testPathIgnorePatterns: ignored([...filesOf('more'), ...filesOf('nightly')]),
    },
    { ...withServices, displayName: 'more', testMatch: paths(filesOf('more')) },
    ...(nightly.length > 0 ? [{ ...withServices, displayName: 'nightly', testMatch: paths(nightly) }] : []),
  ],
};
