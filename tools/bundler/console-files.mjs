import { cp } from 'node:fs/promises';
import { join } from 'node:path';

/** Plugin: copies the built console, which the gateway serves. */
export const consoleFiles = {
  name: 'console-files',
  writeBundle: ({ dir }) => cp('apps/console/dist/static', join(dir, 'console/static'), { recursive: true }),
};
