// Follows every change of a tenant without a public address: IDSYNC_URL=… IDSYNC_KEY=… with the scope events:read
import { readFile, rename, writeFile } from 'node:fs/promises';
import { IdsyncClient } from '@idsync/client';

const { IDSYNC_URL = '', IDSYNC_KEY = '', POSITION_FILE = 'position' } = process.env;
const idsync = new IdsyncClient({ baseUrl: IDSYNC_URL, apiKey: IDSYNC_KEY });

// From the first event that is kept, or after the one that was processed last.
const after = Number(
  await readFile(POSITION_FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Another failure must not begin again.
    if (error.code === 'ENOENT') return '0';
    throw error;
  }),
);

const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort());

for await (const event of idsync.events({ after }).follow({ everyMs: 500, signal: stopped.signal })) {
  console.log(`${event.sequence} ${event.type}`);
  // After the event: if the program is killed before, it processes the event again, and skips none.
  await writeFile(`${POSITION_FILE}.new`, String(event.sequence));
  await rename(`${POSITION_FILE}.new`, POSITION_FILE);
}
