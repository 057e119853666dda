// The tier that runs each test file. `test/tiers.spec.ts` checks that none is left out.
//
// - fast (pure), console (components, in jsdom) and conformance (connectors with local servers, manifests, documents) follow
//   from the place of a file; see jest.config.mjs.
// - core: integration tests that need nothing but Node. An `*.int.spec.ts` that is not listed belongs to it.
// - more: what CI runs as well.
// - nightly: heavy files, by the sources whose change they notice. CI runs those whose cause changed, for eight minutes.
//
// The numbers are the seconds of a file beside two others, so that the longest files start first. Approximate ones do.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { narrowImports } from './setup/narrow-imports.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @type {Record<string, number>} */
const core = {
  'libs/database/src/database.int.spec.ts': 26,
  'libs/database/src/schema-drift.int.spec.ts': 25,
  'test/pipeline.e2e.spec.ts': 16,
  'test/spec-walk.e2e.spec.ts': 45,
  'test/operations.e2e.spec.ts': 40,
  'apps/directory/src/sweep/sweep.int.spec.ts': 50,
  'apps/directory/src/operations/merge-and-split.int.spec.ts': 24,
  'apps/gateway/src/access/operator-roles.int.spec.ts': 24,
  'apps/directory/src/batch/same-directory.int.spec.ts': 22,
  'apps/gateway/src/audit/audit.int.spec.ts': 20,
  'apps/gateway/src/oidc/oidc.int.spec.ts': 19,
  'apps/directory/src/start.int.spec.ts': 18,
  'apps/gateway/src/scim/scim.int.spec.ts': 18,
  'apps/gateway/src/http/http-edge.int.spec.ts': 17,
};

/** @type {Record<string, number>} */
const more = {
  'test/console.e2e.spec.ts': 280,
  'libs/messaging/src/bus-contract.int.spec.ts': 60,
  'test/restore.e2e.spec.ts': 50,
  'test/api-fuzz.e2e.spec.ts': 45,
  'test/model.e2e.spec.ts': 45,
  'test/plans.e2e.spec.ts': 45,
  'test/webhook-events.e2e.spec.ts': 44,
  'test/scim-push.e2e.spec.ts': 42,
  'test/changes.e2e.spec.ts': 38,
  'test/encrypted-links.e2e.spec.ts': 38,
  'test/ldap-source.e2e.spec.ts': 38,
  'test/scim-source.e2e.spec.ts': 38,
  'libs/connectors/src/ldap/open-ldap.int.spec.ts': 27,
  'apps/webhook-dispatcher/src/documented-verifiers.int.spec.ts': 26,
  'test/traces.e2e.spec.ts': 25,
  'test/secrets-at-rest.e2e.spec.ts': 20,
  'test/bundles.e2e.spec.ts': 16,
  'test/metrics.e2e.spec.ts': 15,
  'test/dashboard.e2e.spec.ts': 15,
  'test/record-jobs.e2e.spec.ts': 15,
  'test/migrate-login.e2e.spec.ts': 10,
  'test/client-guide.e2e.spec.ts': 10,
  'test/alerts.e2e.spec.ts': 5,
};

/**
 * Heavy files by their cause: patterns of Git for the sources whose change they are to notice. A file is also its own
 * cause, and so is what it uses and no test of another tier does.
 *
 * @type {readonly { cause: readonly string[]; files: Record<string, number> }[]}
 */
const nightly = [
  {
    cause: ['libs/database/src/migrations', 'libs/database/src/schema'],
    files: { 'test/upgrade.e2e.spec.ts': 117, 'libs/database/src/schema/migrate.int.spec.ts': 77 },
  },
  {
    cause: ['libs/messaging/src', 'libs/messaging/test/killed-*.mjs'],
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
      'apps/sync-worker/src/killed-worker.int.spec.ts': 32,
    },
  },
  { cause: ['apps/directory/src'], files: { 'test/poison-batch.e2e.spec.ts': 27 } },
  {
    cause: ['apps/webhook-dispatcher/src', 'apps/webhook-dispatcher/test/short-lease-dispatcher.mjs'],
    files: { 'test/webhook-faults.e2e.spec.ts': 93 },
  },
  {
    cause: ['libs/runtime/src', 'apps/gateway/src/http'],
    files: {
      'test/rolling-restart.e2e.spec.ts': 87,
      'test/ending-services.e2e.spec.ts': 82,
      'test/full-disk.e2e.spec.ts': 27,
    },
  },
  {
    cause: ['libs/connectors/src/ldap', 'libs/contracts/src/connectors/ldap.ts'],
    files: {
      'test/active-directory-source.e2e.spec.ts': 78,
      'test/389-source.e2e.spec.ts': 47,
      'libs/connectors/src/ldap/active-directory.int.spec.ts': 38,
      'libs/connectors/src/restarted-sources.int.spec.ts': 20,
      'libs/connectors/src/ldap/directory-server-389.int.spec.ts': 17,
    },
  },
  {
    cause: ['libs/connectors/src/sql', 'libs/contracts/src/connectors/sql.ts'],
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
    cause: ['docker-compose.yml', 'apps/gateway/src/http', 'apps/gateway/src/scim'],
    files: {
      'test/memory-limits.e2e.spec.ts': 290,
      'test/scim-memory.e2e.spec.ts': 39,
      'libs/testing/src/memory-limit.int.spec.ts': 10,
    },
  },
  { cause: ['k8s'], files: { 'k8s/test/databases.int.spec.ts': 32 } },
  {
    cause: ['apps/standalone/src', 'libs/embedded-postgres/src'],
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
      'test/shared-modules.spec.ts': 10,
      'test/ci.spec.ts': 25,
      'test/npm-test.spec.ts': 12,
      'test/mutants.spec.ts': 5,
      'test/chaos/plan.spec.ts': 2,
      'test/chaos/toxic-link.spec.ts': 2,
      'test/narrow-imports.spec.ts': 1,
      'test/longest-first.spec.ts': 1,
      'test/skip-rules.spec.ts': 1,
    },
  },
];

const listed = { core, more, nightly: Object.assign({}, ...nightly.map(({ files }) => files)) };

/** The listed files of a tier. */
export const filesOf = (tier) => Object.keys(listed[tier]);

/** Seconds of the listed files. */
export const secondsOf = Object.assign({}, ...Object.values(listed));

/** The nightly files that have changed since a commit, or whose cause or helpers have. */
export function nightlySince(commit) {
  const changed = (...paths) => git('diff', '--name-only', commit, '--', ...paths);
  const all = changed('.');
  const helpersOf = nightlyHelpers();
  return nightly.flatMap(({ cause, files }) => {
    const names = Object.keys(files);
    if (changed(...cause.flatMap(sourcesIn)).length > 0) return names;
    return names.filter((name) => [name, ...helpersOf(name)].some((file) => all.includes(file)));
  });
}

/**
 * Those that CI runs, and those for which it has no time: eight minutes with three files at a time. The files that the run
 * before had no time for come first, so that each runs at some time, then the shortest, so that they are many.
 */
export function nightlyInCi(commit) {
  const owed = (process.env.IDSYNC_TEST_OWED ?? '').split(' ').filter((file) => file in listed.nightly);
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

/** Returns a function that lists the files that a nightly file uses and no test of another tier does. */
function nightlyHelpers() {
  const named = {};
  const uses = (file) => {
    const found = new Set([file]);
    for (const each of found) {
      named[each] ??= pathsIn(each);
      for (const path of named[each]) found.add(path);
    }
    return [...found];
  };
  const others = git('ls-files', '*.spec.ts', '*.spec.tsx').filter((file) => !(file in listed.nightly));
  const ofOthers = new Set(others.flatMap(uses));
  return (file) => uses(file).filter((each) => !ofOthers.has(each));
}

/** The paths in the code of a file: what it imports, and programs that it starts. */
function pathsIn(file) {
  const isCode = /\.[cm]?[jt]sx?$/.test(file) && existsSync(join(root, file));
  const code = isCode ? narrowImports(readFileSync(join(root, file), 'utf8')) : '';
  const paths = [...code.matchAll(/'(\.{0,2}\/[^'\n]+)'/g)].map(([, path]) => resolve(root, dirname(file), path));
  return paths.map((path) => relative(root, path)).flatMap((path) => [path, path.replace(/\.js$/, '.ts')]);
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}
