import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { MemoryLimit } from './memory-limit.js';

const unavailable = MemoryLimit.unavailable();
if (unavailable) process.stderr.write(`\nMemory limits are not tested: ${unavailable}\n`);

/** Starts a process that waits for a line, then allocates `megabytes`, and exits with 0. */
async function allocate(limit: MemoryLimit, megabytes: number): Promise<NodeJS.Signals | number | null> {
  const program = `process.stdin.once('data', () => { Buffer.alloc(${megabytes} * 2 ** 20, 1); process.exit(0); })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] });
  if (child.pid === undefined) throw new Error('no process');
  limit.add(child.pid);
  child.stdin.write('\n');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal ?? code;
}

(unavailable ? describe.skip : describe)('a memory limit', () => {
  it('lets a process below it run, and counts the kill of a process above it', async () => {
    const limit = MemoryLimit.create(256 * 1024 * 1024);
    try {
      expect(await allocate(limit, 50)).toBe(0);
      expect(limit.kills).toBe(0);
      expect(await allocate(limit, 400)).toBe('SIGKILL');
      expect(limit.kills).toBe(1);
    } finally {
      await limit.remove();
    }
  });
});
