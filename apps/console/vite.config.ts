import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const outDir = 'dist/static';

/** Writes each file also compressed, as the gateway sends it, so that no request compresses anything. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  closeBundle() {
    for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|html|svg)$/.test(file)) continue;
      const content = readFileSync(join(outDir, file));
      writeFileSync(join(outDir, `${file}.br`), brotliCompressSync(content));
      writeFileSync(join(outDir, `${file}.gz`), gzipSync(content, { level: 9 }));
    }
  },
};

/** The pages: the console, and the subscriber portal. Each is served with all files below its own path. */
const pages = { 'index.html': '/console/', 'portal.html': '/portal/' };

/** `IDSYNC_URL=http://127.0.0.1:3000 npx vite apps/console` serves the sources against a running gateway. */
export default defineConfig({
  base: '/console/',
  // Files refer to each other by relative addresses, so that one build is served below both paths.
  experimental: {
    renderBuiltUrl: (file, { hostId, hostType }) =>
      hostType === 'html' ? `${pages[hostId as keyof typeof pages]}${file}` : { relative: true },
  },
  plugins: [react(), compressed],
  build: {
    target: 'es2023',
    // The policy of the gateway allows no inline resources.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    outDir,
    rolldownOptions: { input: Object.keys(pages) },
    // The bundle of the gateway lists these packages and their licences.
    license: { fileName: 'licenses.json' },
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      ['/admin', '/v1'].map((path) => [path, process.env.IDSYNC_URL ?? 'http://127.0.0.1:3000']),
    ),
  },
});
