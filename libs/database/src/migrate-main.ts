// `npm run migrate [down | -- --distribute]`: applies all migrations to DATABASE_URL, or reverts the newest one.
// `--distribute` distributes the tables over the nodes of Citus.
import { migrateEnvironment, readEnv, runService } from '@idsync/runtime';
import { migrate, migrateDown } from './schema/migrate.js';

await runService('migrate', async () => {
  const { DATABASE_URL } = readEnv(migrateEnvironment);
  const report = (line: string) => process.stdout.write(`${line}\n`);
  if (process.argv[2] === 'down') {
    await migrateDown(DATABASE_URL, report);
    process.stdout.write('reverted the newest migration\n');
  } else {
    const { applied } = await migrate(DATABASE_URL, report, { distributes: process.argv.includes('--distribute') });
    process.stdout.write(applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n');
  }
  return process.exit(0);
});
