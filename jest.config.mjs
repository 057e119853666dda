// Two projects: `unit` is pure and takes seconds; `integration` talks to a real PostgreSQL and a real RabbitMQ.
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  modulePathIgnorePatterns: ['/dist/', '/.data/'],
  moduleNameMapper: {
    '^@idsync/(contracts|database|embedded-postgres|messaging|connectors|runtime|testing)$':
      '<rootDir>/libs/$1/src/index.ts',
    '^@idsync/(gateway|directory|sync-worker|webhook-dispatcher|standalone)$': '<rootDir>/apps/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  setupFiles: ['<rootDir>/test/setup/native-errors.mjs'],
};

export default {
  // Bounds what hangs; timing decides no test, and a busy machine is many times slower than a quiet one.
  testTimeout: 120_000,
  // Two files at a time on any machine. Each has a database, a vhost and ports of its own; of connections to PostgreSQL, which allows
  // a hundred, the largest files may take forty each.
  maxWorkers: 2,
  // Modules of files that are done stay in memory: a worker that holds much of it is replaced, so no file pays for those before it.
  workerIdleMemoryLimit: '512MB',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.spec.ts', '<rootDir>/{k8s/test,test,test/compose}/*.spec.ts'],
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
