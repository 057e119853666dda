#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../bundle/idsync.js', import.meta.url);

if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('idsync: not built yet: run "npm run bundle" in the checkout first\n');
  process.exitCode = 1;
}
