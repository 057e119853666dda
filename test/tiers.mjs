// The tier that runs each test file. `test/tiers.spec.ts` checks that none is left out.
//
// - fast (pure), console (components, in jsdom) and conformance (connectors with local servers, manifests, documents) follow
//   from the place of a file; see jest.config.mjs.
// - core: integration tests that need nothing but Node. An `*.int.spec.ts` that is not listed belongs to it.
// - more: what CI runs as well.
// - nightly: heavy files, by the sources whose change they notice. CI runs those whose cause changed, for eight minutes.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const core = [
  'libs/database/src/database.int.spec.ts',
  'libs/database/src/schema-drift.int.spec.ts',
  'test/pipeline.e2e.spec.ts',
  'test/spec-walk.e2e.spec.ts',
  'test/operations.e2e.spec.ts',
  'apps/directory/src/sweep/sweep.int.spec.ts',
  'apps/directory/src/operations/merge-and-split.int.spec.ts',
  'apps/gateway/src/access/operator-roles.int.spec.ts',
  'apps/directory/src/batch/same-directory.int.spec.ts',
  'apps/gateway/src/audit/audit.int.spec.ts',
  'apps/gateway/src/oidc/oidc.int.spec.ts',
  'apps/directory/src/start.int.spec.ts',
  'apps/gateway/src/scim/scim.int.spec.ts',
  'test/scim-clients.e2e.spec.ts',
  'apps/gateway/src/http/http-edge.int.spec.ts',
];

const more = [
  'test/console.e2e.spec.ts',
  'libs/messaging/src/bus-contract.int.spec.ts',
  'test/restore.e2e.spec.ts',
  'test/api-fuzz.e2e.spec.ts',
  'test/model.e2e.spec.ts',
  'test/plans.e2e.spec.ts',
  'test/webhook-events.e2e.spec.ts',
  'test/scim-push.e2e.spec.ts',
  'test/changes.e2e.spec.ts',
  'test/encrypted-links.e2e.spec.ts',
  'test/ldap-source.e2e.spec.ts',
  'test/scim-source.e2e.spec.ts',
  'libs/connectors/src/ldap/open-ldap.int.spec.ts',
  'apps/webhook-dispatcher/src/documented-verifiers.int.spec.ts',
  'test/traces.e2e.spec.ts',
  'test/secrets-at-rest.e2e.spec.ts',
  'test/bundles.e2e.spec.ts',
  'test/packages.e2e.spec.ts',
  'test/metrics.e2e.spec.ts',
  'test/dashboard.e2e.spec.ts',
  'test/record-jobs.e2e.spec.ts',
  'test/migrate-login.e2e.spec.ts',
  'test/examples.e2e.spec.ts',
  'test/alerts.e2e.spec.ts',
  'test/export.e2e.spec.ts',
];

/**
 * Heavy files by their cause: patterns of Git for the sources whose change they are to notice. A file is also its own
 * cause. The numbers are approximate seconds of a file beside two others.
 *
 * @type {readonly { cause: readonly string[]; files: Record<string, number> }[]}
 */
const nightly = [
  {
    cause: [
      'libs/database/src/migrations',
      'libs/database/src/schema',
      'test/rolling',
      'test/support/previous-code.ts',
      'test/support/running-code.ts',
      'test/support/steady-load.ts',
    ],
    files: { 'test/upgrade.e2e.spec.ts': 117, 'libs/database/src/schema/migrate.int.spec.ts': 77 },
  },
  {
    cause: [
      'libs/messaging/src',
      'libs/messaging/test/killed-*.mjs',
      'libs/testing/src/private-broker-cluster.ts',
      'libs/testing/src/test-program.ts',
    ],
    files: {
      'libs/messaging/src/broker-cluster.int.spec.ts': 228,
      'libs/messaging/src/broker-restart.int.spec.ts': 85,
      'test/wiped-broker.e2e.spec.ts': 82,
      'libs/messaging/src/killed-processes.int.spec.ts': 60,
      'libs/messaging/src/broker-late.int.spec.ts': 15,
    },
  },
  {
    cause: ['apps/sync-worker/src', 'apps/sync-worker/test/dying-worker.mjs'],
    files: {
      'test/replaced-workers.e2e.spec.ts': 114,
      'test/killed-services.e2e.spec.ts': 54,
      'test/fair-batches.e2e.spec.ts': 90,
      'apps/sync-worker/src/killed-worker.int.spec.ts': 32,
    },
  },
  { cause: ['apps/directory/src', 'test/support/limited-service.ts'], files: { 'test/poison-batch.e2e.spec.ts': 27 } },
  {
    cause: [
      'apps/webhook-dispatcher/src',
      'apps/webhook-dispatcher/test/short-lease-dispatcher.mjs',
      'apps/webhook-dispatcher/test/faulty-receiver.ts',
      'test/support/event-stream.ts',
      'test/support/fault-*.ts',
    ],
    files: { 'test/webhook-faults.e2e.spec.ts': 93 },
  },
  {
    cause: [
      'libs/runtime/src',
      'apps/gateway/src/http',
      'test/rolling',
      'test/support/small-disk.ts',
      'test/support/supervised.ts',
    ],
    files: {
      'test/rolling-restart.e2e.spec.ts': 87,
      'test/ending-services.e2e.spec.ts': 82,
      'test/full-disk.e2e.spec.ts': 27,
    },
  },
  {
    cause: [
      'libs/connectors/src/ldap',
      'libs/contracts/src/connectors/ldap.ts',
      'libs/connectors/test/samba.ts',
      'libs/connectors/test/directory-server-389.ts',
    ],
    files: {
      'test/active-directory-source.e2e.spec.ts': 78,
      'test/389-source.e2e.spec.ts': 47,
      'libs/connectors/src/ldap/active-directory.int.spec.ts': 38,
      'libs/connectors/src/restarted-sources.int.spec.ts': 20,
      'libs/connectors/src/ldap/directory-server-389.int.spec.ts': 17,
    },
  },
  {
    cause: [
      'libs/connectors/src/sql',
      'libs/contracts/src/connectors/sql.ts',
      'libs/connectors/test/sql-server.ts',
      'libs/testing/src/private-mariadb.ts',
      'test/support/people-in-sql.ts',
    ],
    files: {
      'libs/connectors/src/sql/sql-conformance.int.spec.ts': 69,
      'test/mariadb-source.e2e.spec.ts': 67,
      'test/postgres-source.e2e.spec.ts': 67,
      'libs/connectors/src/sql/sql-misbehaviour.int.spec.ts': 42,
      'libs/connectors/src/sql/sql-connector.int.spec.ts': 18,
      'libs/connectors/src/sql/sql-changes.int.spec.ts': 17,
      'libs/connectors/src/sql/sql-types.int.spec.ts': 12,
      'libs/connectors/src/sql/sql-login.int.spec.ts': 10,
    },
  },
  {
    cause: ['apps/console/src', 'apps/gateway/src/reference', 'apps/gateway/assets'],
    files: {
      'test/console-sources.e2e.spec.ts': 90,
      'test/console-access.e2e.spec.ts': 84,
      'apps/gateway/src/reference/reference.int.spec.ts': 60,
      'test/portal.e2e.spec.ts': 55,
      'test/console-sign-out.e2e.spec.ts': 51,
      'test/console-system.e2e.spec.ts': 45,
    },
  },
  {
    cause: [
      'docker-compose.yml',
      'apps/gateway/src/http',
      'apps/gateway/src/scim',
      'libs/testing/src/memory-limit.ts',
      'test/support/limited-service.ts',
    ],
    files: {
      'test/memory-limits.e2e.spec.ts': 290,
      'test/scim-memory.e2e.spec.ts': 39,
      'libs/testing/src/memory-limit.int.spec.ts': 10,
    },
  },
  { cause: ['k8s'], files: { 'k8s/test/databases.int.spec.ts': 32 } },
  {
    cause: [
      'apps/standalone/src',
      'libs/embedded-postgres/src',
      'libs/embedded-postgres/test',
      'test/support/programs.ts',
      'test/support/running-code.ts',
    ],
    files: {
      'apps/standalone/src/embedded-database.int.spec.ts': 116,
      'apps/standalone/src/main.int.spec.ts': 85,
      'test/killed-first-start.e2e.spec.ts': 75,
      'libs/embedded-postgres/src/embedded-postgres.int.spec.ts': 15,
    },
  },
  {
    cause: ['.ci', 'test/setup', 'test/tiers.mjs', 'test/chaos', 'tools', 'jest.config.mjs'],
    files: {
      'test/ci.spec.ts': 25,
      'test/npm-test.spec.ts': 12,
      'test/chaos/plan.spec.ts': 2,
      'test/chaos/toxic-link.spec.ts': 2,
      'test/skip-rules.spec.ts': 1,
    },
  },
];

/** Seconds of the nightly files. */
const secondsOf = Object.assign({}, ...nightly.map(({ files }) => files));
const listed = { core, more, nightly: Object.keys(secondsOf) };

/** The listed files of a tier. */
export const filesOf = (tier) => listed[tier];

/** The nightly files that have changed since a commit, or whose cause has. */
export function nightlySince(commit) {
  const changed = (...paths) => git('diff', '--name-only', commit, '--', ...paths);
  return nightly.flatMap(({ cause, files }) => {
    const names = Object.keys(files);
    return changed(...cause.flatMap(sourcesIn)).length > 0 ? names : changed(...names);
  });
}

/**
 * Those that CI runs, and those for which it has no time: eight minutes with three files at a time. The files that the run
 * before had no time for come first, so that each runs at some time, then the shortest, so that they are many.
 */
export function nightlyInCi(commit) {
  const owed = (process.env.IDSYNC_TEST_OWED ?? '').split(' ').filter((file) => file in secondsOf);
  const shortestFirst = nightlySince(commit).sort((one, other) => secondsOf[one] - secondsOf[other]);
  const due = [...new Set([...owed, ...shortestFirst])];
  let left = 8 * 60 * 3;
  const run = due.filter((file) => {
    left -= secondsOf[file];
    return left >= 0;
  });
  return { run, owed: due.slice(run.length) };
}

/** Specs are no cause: they run by themselves. */
const sourcesIn = (path) => [path, `:(exclude,glob)${path}/**/*.spec.ts`, `:(exclude,glob)${path}/**/*.spec.tsx`];

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}
