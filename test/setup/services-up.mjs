// Runs once before the integration tests: a PostgreSQL (DATABASE_URL, or an embedded one) with a migrated template
// database that every test file clones, and a word about RabbitMQ where AMQP_URL is not set.
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default async function servicesUp() {
  const database = await import('../../libs/database/dist/index.js').catch(() => {
    throw new Error('build first: the tests start services and a database from dist; run `npm test`');
  });
  if (!process.env.DATABASE_URL) {
    const dataDir = await mkdtemp(join(tmpdir(), 'idsync-test-'));
    const { startEmbeddedPostgres } = await import('../../libs/embedded-postgres/dist/index.js');
    globalThis.embeddedPostgres = await startEmbeddedPostgres({ dataDir });
    globalThis.embeddedDataDir = dataDir;
    process.env.DATABASE_URL = globalThis.embeddedPostgres.url;
  }
  if (!process.env.AMQP_URL) {
    if (process.env.CI === 'true' && process.env.IDSYNC_TEST_WITHOUT_AMQP !== '1') {
      throw new Error('AMQP_URL is not set: under CI the RabbitMQ suites must run');
    }
    process.stderr.write('\nAMQP_URL is not set: the suites that need RabbitMQ are left out.\n');
  }
  const template = `idsync_template_${randomBytes(4).toString('hex')}`;
  process.env.IDSYNC_TEST_TEMPLATE = template;
  await database.createDatabase(process.env.DATABASE_URL, template);
  await database.migrate(database.databaseUrl(process.env.DATABASE_URL, template));
}
