// Runs once before the integration tests, and before each run in watch mode. It builds, so that bundled services and
// compiled migrations are never older than the sources. Then it starts a PostgreSQL (DATABASE_URL, or an embedded one) with a migrated
// template database that every test file copies, and prints a notice if AMQP_URL is not set.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { templateName } from './template-name.mjs';

export default async function servicesUp() {
  build();
  const { keepTemplate } = await import('../../libs/testing/dist/template-database.js');
  const ci = process.env.CI === 'true';
  if (!process.env.DATABASE_URL) {
    const dataDir = await mkdtemp(join(await roomyMemory(), 'idsync-test-'));
    const { startEmbeddedPostgres } = await import('../../libs/embedded-postgres/dist/index.js');
    globalThis.embeddedPostgres = await startEmbeddedPostgres({ dataDir });
    globalThis.embeddedDataDir = dataDir;
    process.env.DATABASE_URL = globalThis.embeddedPostgres.url;
  }
  if (!process.env.AMQP_URL) {
    if (ci && process.env.IDSYNC_TEST_WITHOUT_AMQP !== '1') {
      throw new Error('AMQP_URL is not set, but the RabbitMQ suites are mandatory in CI');
    }
    process.stderr.write('\nAMQP_URL is not set: the suites that need RabbitMQ are skipped.\n');
  }
  process.env.IDSYNC_TEST_RUN = randomBytes(6).toString('hex');
  process.env.IDSYNC_TEST_STATEMENTS = await mkdtemp(join(tmpdir(), 'idsync-statements-'));
  process.env.IDSYNC_TEST_TEMPLATE = templateName();
  await keepTemplate(process.env.DATABASE_URL, process.env.IDSYNC_TEST_TEMPLATE);
  process.env.IDSYNC_TEST_POSTGRES = await majorVersion(process.env.DATABASE_URL);
}

async function majorVersion(url) {
  const { DirectoryFixture } = await import('../../libs/testing/dist/directory-fixture.js');
  const administrator = DirectoryFixture.connect(url);
  const [{ version }] = await administrator.rows(`select current_setting('server_version_num') as version`);
  await administrator.close();
  return Math.floor(version / 10_000);
}

/** Creating a database of a thousand files takes a tenth of the time in memory. */
async function roomyMemory() {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= 4 * 1024 ** 3 ? memory : tmpdir();
}

function build() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const turbo = join(root, 'node_modules/.bin/turbo');
  // `npm run test:changed` and `npm run test:watch` leave out the tests of bundled services.
  const tasks = process.env.IDSYNC_TEST_SECONDS
    ? ['build', '--filter=@idsync/testing', '--filter=@idsync/embedded-postgres']
    : ['build', 'programs', 'test-programs'];
  const options = ['run', ...tasks, '--output-logs=errors-only', '--log-order=grouped'];
  const { status, error, stdout } = spawnSync(turbo, options, { cwd: root, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`the build failed:\n${stdout}`);
}
