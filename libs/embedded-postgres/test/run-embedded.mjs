// The process that tests kill: runs a server on the given directory and reports when it is up.
import { startEmbeddedPostgres } from '../dist/index.js';

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] });
process.stdout.write(`${server.url}\n`);
setInterval(() => undefined, 1_000);
