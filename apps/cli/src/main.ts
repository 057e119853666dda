import { run } from './run.js';

// EPIPE is no error: the reading end, such as head, closed the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), { out: process.stdout, err: process.stderr });
