// A private Redis with an append-only file, as BullMQ recommends for production.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/four-services.mjs';

/** Resolves with the process and its port; throws if redis-server is not installed. */
export async function startRedis(folder) {
  const dir = join(folder, 'redis');
  await mkdir(dir);
  const port = await freePort();
  const persistent = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
  const words = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--maxmemory-policy',
    'noeviction',
    ...persistent,
  ];
  const child = spawn('redis-server', words.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([once(child.stdout, 'data'), once(child, 'error').then(([error]) => Promise.reject(error))]);
  child.stdout.resume();
  return { port, child };
}
