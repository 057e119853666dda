// Bundles the programs that tests start and kill, because a process needs half the time for one file as for a thousand.
import { resolve } from 'node:path';
import { defineConfig } from 'rolldown';
import { isAbsent, removedTypeormClasses } from '../../tools/bundler/absent-packages.mjs';
import { entryOf, startProgram } from '../../tools/bundler/start-program.mjs';

const programs = {
  'dying-worker': 'apps/sync-worker/test/dying-worker.mjs',
  'killed-consumer': 'libs/messaging/test/killed-consumer.mjs',
  'killed-relay': 'libs/messaging/test/killed-relay.mjs',
  'short-lease-dispatcher': 'apps/webhook-dispatcher/test/short-lease-dispatcher.mjs',
};

export default defineConfig({
  input: Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, entryOf(resolve(program))])),
  platform: 'node',
  external: isAbsent,
  experimental: { resolveNewUrlToAsset: true },
  plugins: [startProgram, removedTypeormClasses],
  output: {
    dir: 'test/dist',
    cleanDir: true,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    keepNames: true,
  },
});
