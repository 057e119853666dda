// `npm run test:chaos -- --minutes 30 --seed N`: runs a complete deployment as child processes under faults drawn from
// a seed; after each round the directory, the history and the deliveries are compared with the sources. `--help` lists
// the options.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
await import('./main.ts');
