const marker = '?start';

/**
 * Plugin: each entry is a small module that turns on source maps and Node's compile cache, and then loads the program.
 * Both apply only to modules that are loaded later.
 */
export const startProgram = {
  name: 'start-program',
  resolveId: { filter: { id: /\?start$/ }, handler: (id) => id },
  load: {
    filter: { id: /\?start$/ },
    handler: (id) => `import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.setSourceMapsEnabled(true);
module.enableCompileCache?.(join(fileURLToPath(import.meta.url), '../cache'));
await import(${JSON.stringify(id.slice(0, -marker.length))});
`,
  },
};

/** Returns the entry module of a program. */
export const entryOf = (program) => `${program}${marker}`;
