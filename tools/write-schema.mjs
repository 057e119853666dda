// Writes libs/database/schema.sql from a freshly migrated database.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  databaseUrl,
  describeSchema,
  dropDatabase,
  migrate,
} from '../libs/database/dist/schema/index.js';
import { startEmbeddedPostgres } from '../libs/embedded-postgres/dist/index.js';

const dataDir = await mkdtemp(join(tmpdir(), 'idsync-schema-'));
const embedded = process.env.DATABASE_URL ? undefined : await startEmbeddedPostgres({ dataDir });
const server = process.env.DATABASE_URL ?? embedded.url;
const name = `idsync_schema_${randomBytes(4).toString('hex')}`;
try {
  await createDatabase(server, name);
  await migrate(databaseUrl(server, name));
  await writeFile(
    new URL('../libs/database/schema.sql', import.meta.url),
    await describeSchema(databaseUrl(server, name)),
  );
} finally {
  await dropDatabase(server, name);
  await embedded?.stop();
  await rm(dataDir, { recursive: true, force: true });
}
