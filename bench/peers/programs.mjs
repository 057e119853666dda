// HTTP servers of this folder as processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/four-services.mjs';

const startsWithinMs = 60_000;

/** Starts a program of `programs/` or another one; resolves when it has printed a line. */
export async function startProgram(name, databaseUrl, { path = `programs/${name}.mjs`, words = [] } = {}) {
  const port = await freePort();
  const program = fileURLToPath(new URL(path, import.meta.url));
  const child = spawn(process.execPath, [program, databaseUrl, String(port), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timeout = setTimeout(() => child.kill('SIGKILL'), startsWithinMs);
  const started = await Promise.race([
    once(child.stdout, 'data').then(() => true),
    once(child, 'exit').then(() => false),
  ]);
  clearTimeout(timeout);
  if (!started) throw new Error(`${name} did not start`);
  return { name, child, url: `http://127.0.0.1:${port}` };
}

export async function stopProgram({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
