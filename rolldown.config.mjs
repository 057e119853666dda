// Bundles all programs from their TypeScript sources: `npm run bundle`, which builds the console first.
// Design: docs/adr/0050-images-and-compose.md
import { resolve } from 'node:path';
import { defineConfig } from 'rolldown';
import { isAbsent, removedTypeormClasses } from './tools/bundler/absent-packages.mjs';
import { consoleFiles } from './tools/bundler/console-files.mjs';
import { packageChunks, withoutPackageMaps } from './tools/bundler/package-chunks.mjs';
import { programFiles } from './tools/bundler/program-files.mjs';
import { entryOf, startProgram } from './tools/bundler/start-program.mjs';

const services = {
  gateway: resolve('apps/gateway/src/main.ts'),
  directory: resolve('apps/directory/src/main.ts'),
  'sync-worker': resolve('apps/sync-worker/src/main.ts'),
  'webhook-dispatcher': resolve('apps/webhook-dispatcher/src/main.ts'),
  standalone: resolve('apps/standalone/src/main.ts'),
  migrate: resolve('libs/database/src/migrate-main.ts'),
};

export default defineConfig([
  bundleOf(services, 'bundle', consoleFiles),
  // Apart from the services, because its npm package contains no chunk of theirs.
  bundleOf({ idsync: resolve('apps/cli/src/main.ts') }, 'apps/cli/bundle'),
]);

function bundleOf(programs, dir, ...plugins) {
  return {
    input: Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, entryOf(program)])),
    platform: 'node',
    // Compiles decorators and their metadata as tsc does.
    tsconfig: true,
    resolve: { conditionNames: ['@idsync/source'] },
    external: isAbsent,
    // Copies files that are read at run time.
    experimental: { resolveNewUrlToAsset: true },
    plugins: [startProgram, removedTypeormClasses, withoutPackageMaps, programFiles, ...plugins],
    output: {
      dir,
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      // V8 keeps a file with one character beyond Latin-1 in twice the memory, and reads it more slowly.
      charset: 'ascii',
      comments: { legal: true, annotation: false, jsdoc: false },
      // Nest and TypeORM use the names of classes.
      keepNames: true,
      codeSplitting: { groups: [packageChunks(programs)] },
      sourcemap: true,
      sourcemapExcludeSources: true,
    },
    onLog(level, log, handler) {
      if (level === 'warn') throw new Error(log.message);
      handler(level, log);
    },
  };
}
