// `npm run migrate [down]`: brings the schema of DATABASE_URL up to date, or takes the newest migration back.
import { migrateEnvironment, readEnv, runService } from '@idsync/runtime';
import { migrate, migrateDown } from './migrate.js';

await runService('migrate', async () => {
  const { DATABASE_URL } = readEnv(migrateEnvironment);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  if (process.argv[2] === 'down') {
    await migrateDown(DATABASE_URL, say);
    process.stdout.write('took back the newest migration\n');
  } else {
    const { applied } = await migrate(DATABASE_URL, say);
    process.stdout.write(applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n');
  }
  return process.exit(0);
});
