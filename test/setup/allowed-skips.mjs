import { spawnSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';

const inCi = process.env.CI === 'true';

async function canLimitMemory() {
  const { MemoryLimit } = await import('../../libs/testing/dist/memory-limit.js');
  return MemoryLimit.unavailable() === undefined;
}

/** Whether `.ci/memory-servers` can start a PostgreSQL here. */
export function canStartPostgres() {
  const folders = ['/usr/lib/postgresql', '/dev/shm'];
  if (process.getuid?.() !== 0 || !folders.every((folder) => existsSync(folder))) return false;
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize >= 8 * 1024 ** 3;
}

/**
 * The tests that may be skipped, by reason. A run fails if another test is skipped, or if one of these runs although
 * `when` is true or absent. `optional` groups may run or be skipped. A title is that of a test, or of a test or a suite
 * with the suites around it.
 */
export const allowedSkips = [
  {
    because: 'the source does not support it, for the reason in the title',
    tests: {
      'libs/connectors/src/download/web-file-conformance.spec.ts': [
        'jsonl at a URL invalid responses: a file is not a list of responses',
      ],
      'libs/connectors/src/file-conformance.spec.ts': [
        'csv outages: it needs no network connection',
        'jsonl outages: it needs no network connection',
        'ldif outages: it needs no network connection',
      ],
      'libs/connectors/src/github/github-connector.spec.ts': [
        'github, its machines fails when a page cursor has expired: its cursors do not expire',
        'github, its members fails when a page cursor has expired: its cursors do not expire',
      ],
      'libs/connectors/src/google/google-connector.spec.ts': [
        'google fails when an empty response in the middle looks like the end: a response without users and token is the regular end of a list',
      ],
      'libs/connectors/src/jumpcloud/jumpcloud-connector.spec.ts': [
        'jumpcloud continues after an empty response that is not the end: the next request continues after an id, not at a cursor of the response',
        'jumpcloud fails when a page cursor has expired: an id does not expire',
        'jumpcloud fails when empty responses form a cycle: the next request continues after an id, not at a cursor of the response',
        'jumpcloud returns a repeated record once a page and all other records: users that are not in the order of their ids are an error, because others may be missing',
      ],
      'libs/connectors/src/kubernetes/kubernetes-connector.spec.ts': [
        'kubernetes fails when a page cursor has expired: a list with an expired token restarts, which is tested below',
      ],
      'libs/connectors/src/okta/okta-connector.spec.ts': [
        'okta fails when an empty response in the middle looks like the end: a response without users and links is the regular end of a list',
        'okta restarts with a full read when the checkpoint has expired: the checkpoint is a time and does not expire',
      ],
      'libs/connectors/src/scim/scim-conformance.spec.ts': [
        'scim continues after an empty response that is not the end: the next index does not depend on the response',
        'scim fails when a page cursor has expired: an index does not expire',
        'scim fails when empty responses form a cycle: the next index does not depend on the response',
        'scim returns a repeated record once a page and all other records: a repeated resource in a list by index means that another is missing, so it is an error',
      ],
      'libs/connectors/src/scim-push/scim-push-conformance.spec.ts': [
        'scim-push reports a record without an id: idsync assigns the ids',
        'scim-push reports a record with a field of the wrong type: a push with a wrong type is rejected',
        'scim-push failure handling: it reads from the database of idsync',
        'scim-push outages: it needs no network connection',
      ],
      'libs/connectors/src/ldap/open-ldap.int.spec.ts': [
        'OpenLDAP restarts with a full read when the checkpoint has expired: the checkpoint is a time and does not expire; a change of groups is tested below',
      ],
      'libs/connectors/src/ldap/active-directory.int.spec.ts': [
        'Active Directory restarts with a full read when the checkpoint has expired: the numbers of a controller do not expire; another and a restored controller are tested below',
      ],
    },
  },
  {
    because: 'Docker Compose is not installed',
    when: () => spawnSync('docker', ['compose', 'version']).status !== 0,
    tests: { 'test/compose/compose-file.spec.ts': ['is accepted by docker compose'] },
  },
  {
    because: 'no PostgreSQL can be started in memory: it needs its programs, root and 8 GB in /dev/shm',
    when: () => !canStartPostgres(),
    tests: { 'test/ci.spec.ts': ['.ci/memory-servers starts a PostgreSQL if none answers'] },
  },
  {
    because: 'AMQP_URL is not set',
    when: () => !process.env.AMQP_URL,
    tests: {
      'apps/directory/src/start.int.spec.ts': ['the directory, over amqp'],
      'apps/sync-worker/src/start.int.spec.ts': ['the sync worker, over amqp'],
      'apps/gateway/src/broker-away.int.spec.ts': ['a gateway started while RabbitMQ is unreachable'],
      'libs/messaging/src/amqp/broker-logins.int.spec.ts': ['the RabbitMQ login of a service'],
      'libs/messaging/src/broker-cluster.int.spec.ts': ['a RabbitMQ cluster of three nodes'],
      'libs/messaging/src/broker-late.int.spec.ts': ['a service that starts before RabbitMQ'],
      'libs/messaging/src/bus-contract.int.spec.ts': ['the bus, over amqp'],
      'libs/messaging/src/database-away.int.spec.ts': ['a database outage during message handling, over amqp'],
      'libs/messaging/src/killed-processes.int.spec.ts': ['the bus, when processes are killed, over amqp'],
      'libs/messaging/src/broker-restart.int.spec.ts': ['a service, when RabbitMQ fails,'],
      'test/encrypted-links.e2e.spec.ts': ['do not connect to a broker with an untrusted certificate'],
      'test/ending-services.e2e.spec.ts': [
        'exit with 0 while RabbitMQ is down',
        'exit with 0 while RabbitMQ is frozen',
      ],
      'test/fair-batches.e2e.spec.ts': ['small jobs of other tenants beside a large import, over amqp,'],
      'test/killed-services.e2e.spec.ts': ['a sync of 10 000 records whose services are killed, over amqp'],
      'test/memory-limits.e2e.spec.ts': ['services with the memory limits of the Compose file'],
      'test/poison-batch.e2e.spec.ts': ['a record that crashes the directory whenever it is applied, over amqp'],
      'test/replaced-workers.e2e.spec.ts': ['workers that are replaced in turn while they work, over amqp,'],
    },
  },
  {
    because: 'this machine cannot create a control group with a memory limit',
    when: async () => !(await canLimitMemory()),
    tests: {
      'libs/testing/src/memory-limit.int.spec.ts': ['a memory limit'],
      'test/memory-limits.e2e.spec.ts': ['services with the memory limits of the Compose file'],
      'test/scim-memory.e2e.spec.ts': ['a gateway with the memory limit of docker-compose.yml'],
    },
  },
  {
    because: 'the installed pg_dump is older than the embedded PostgreSQL, or absent',
    when: () => !process.env.DATABASE_URL,
    optional: true,
    tests: { 'test/restore.e2e.spec.ts': ['a dump taken during a job'] },
  },
  {
    because: 'a program, the history of Git or a right is absent on this developer machine; the specs print which',
    when: () => !inCi,
    optional: true,
    tests: {
      'apps/cli/src/completion.spec.ts': ['completion in zsh', 'completion in fish'],
      'apps/gateway/src/reference/reference.int.spec.ts': ['the API reference in a browser'],
      'test/console.e2e.spec.ts': ['the console in a browser'],
      'test/console-access.e2e.spec.ts': ['access in the console'],
      'test/console-sign-out.e2e.spec.ts': [
        'a sign-out in the console',
        'a sign-out at the identity provider',
        'a sign-in that the console refuses',
      ],
      'test/console-sources.e2e.spec.ts': ['sources in the console'],
      'test/portal.e2e.spec.ts': ['the subscriber portal in a browser'],
      'apps/standalone/src/embedded-database.int.spec.ts': [
        'npm start with a full disk',
        'the PostgreSQL of npm start runs as its own system user',
      ],
      'apps/webhook-dispatcher/src/documented-verifiers.int.spec.ts': [
        'the verifier in Python',
        'the verifier in PHP',
        'the verifier in Java',
        'the verifier in Go',
      ],
      'k8s/test/databases.int.spec.ts': ['PostgreSQL set up by the manifests'],
      'k8s/test/monitoring.spec.ts': ['the Prometheus objects of the production overlay'],
      'k8s/test/production.spec.ts': ['the overlay example on top of production'],
      'k8s/test/workloads.spec.ts': ['the overlay dev'],
      'libs/connectors/src/http/tls.spec.ts': ['a source with a certificate of a private authority'],
      'libs/connectors/src/ldap/active-directory.int.spec.ts': ['an Active Directory source'],
      'libs/connectors/src/ldap/directory-server-389.int.spec.ts': ['a 389 Directory Server source'],
      'libs/connectors/src/ldap/open-ldap.int.spec.ts': ['an OpenLDAP source'],
      'libs/connectors/src/restarted-sources.int.spec.ts': [
        'from a restarted OpenLDAP server',
        'from a killed MariaDB server',
      ],
      'libs/connectors/src/sql/sql-changes.int.spec.ts': ['incremental reads from MariaDB'],
      'libs/connectors/src/sql/sql-conformance.int.spec.ts': ['the SQL connector with MariaDB:'],
      'libs/connectors/src/sql/sql-connector.int.spec.ts': ['a SQL source in MariaDB'],
      'libs/connectors/src/sql/sql-login.int.spec.ts': ['the login of a MariaDB source'],
      'libs/connectors/src/sql/sql-misbehaviour.int.spec.ts': [
        'is read over TLS with verification of the certificate',
        'a MariaDB source',
        'a misbehaving source in MariaDB',
      ],
      'libs/connectors/src/sql/sql-types.int.spec.ts': ['values of MariaDB'],
      'test/389-source.e2e.spec.ts': ['a 389 Directory Server source'],
      'test/active-directory-source.e2e.spec.ts': ['an Active Directory source'],
      'test/alerts.e2e.spec.ts': ['the alert rules in promtool'],
      'test/dashboard.e2e.spec.ts': ['the dashboard, with a Prometheus that scrapes the services'],
      'test/full-disk.e2e.spec.ts': ['four services whose PostgreSQL has a full disk'],
      'test/ldap-source.e2e.spec.ts': ['an OpenLDAP source'],
      'test/mariadb-source.e2e.spec.ts': ['people in MariaDB'],
      'test/restore.e2e.spec.ts': ['a dump taken during a job'],
      'test/rolling-restart.e2e.spec.ts': [
        'answer every request through a haproxy balancer and exit with 0',
        'lose only requests in flight when they are killed, and a repeated trigger creates no second job',
      ],
      'test/upgrade.e2e.spec.ts': ['a rolling update with two versions at the same time'],
      'test/webhook-faults.e2e.spec.ts': ['webhook deliveries while all processes fail at random, over amqp,'],
      'test/wiped-broker.e2e.spec.ts': ['a RabbitMQ that loses its data'],
    },
  },
];
