// `npm run dev`: compiles the workspace when a file changes, and restarts all services in one process after each
// successful compilation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const settleMs = 100;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
// Compose reads `.env`, whose encryption key must not encrypt the secrets in `.data/`.
if (existsSync('.env.local')) process.loadEnvFile('.env.local');

let service;
let changed = true;
let stopping = false;
let wake;

for (const folder of ['apps', 'libs'].flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}/src`))) {
  watch(folder, { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.spec.ts')) return;
    changed = true;
    wake?.();
  });
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopping = true;
    wake?.();
  });
}

while (!stopping) {
  if (changed) {
    // An editor saves a file in several steps, and several files at once.
    await pause(settleMs);
    changed = false;
    if ((await compile()) && !changed && !stopping) await restart();
  } else {
    await new Promise((resolve) => {
      wake = resolve;
    });
  }
}
await endService();
process.exit();

async function compile() {
  const started = performance.now();
  const compiler = spawn('node_modules/.bin/tsc', ['--build', 'apps/standalone', 'apps/cli'], { stdio: 'inherit' });
  const [code] = await once(compiler, 'exit');
  if (stopping) return false;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(code === 0 ? `compiled in ${seconds} s\n` : 'not restarted: the code has errors\n');
  return code === 0;
}

async function restart() {
  await endService();
  const child = spawn(process.execPath, ['--enable-source-maps', 'apps/standalone/dist/main.js'], { stdio: 'inherit' });
  const exit = once(child, 'exit').then(([code]) => {
    if (child !== service?.child) return;
    service = undefined;
    process.stdout.write(`idsync stopped with code ${code}; the next change starts it\n`);
  });
  service = { child, exit };
}

async function endService() {
  const ending = service;
  service = undefined;
  ending?.child.kill('SIGTERM');
  await ending?.exit;
}
