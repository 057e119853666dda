import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { MemoryLimit } from '@idsync/testing';
import { programOf, type ServiceProcessName } from './services.js';

/**
 * Runs a built service as a process, optionally with a memory limit, and restarts it whenever it ends, as a container
 * runtime does. The process joins its control group before Node.js starts, because Node.js derives its heap size from
 * the limit.
 */
export class LimitedService {
  /** Exit states of unexpected ends. */
  readonly ends: string[] = [];
  /** The last characters that the process wrote to stderr. */
  lastOutput = '';
  private child: ChildProcess | undefined;
  private wanted = true;

  constructor(
    private readonly name: ServiceProcessName,
    private readonly env: NodeJS.ProcessEnv,
    private readonly limit?: MemoryLimit,
  ) {
    this.launch();
  }

  /** Sends SIGKILL; another process replaces it. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child) return;
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    this.wanted = false;
    const { child } = this;
    if (!child) return;
    const gone = once(child, 'close');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
    await gone;
    clearTimeout(timer);
  }

  private launch(): void {
    const words = ['-c', 'read -r _; exec "$0" "$1"', process.execPath, programOf(this.name)];
    const child = spawn('/bin/sh', words, { stdio: ['pipe', 'ignore', 'pipe'], env: this.env });
    this.child = child;
    this.lastOutput = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (process.env.IDSYNC_TEST_LOGS) process.stderr.write(text);
      this.lastOutput = (this.lastOutput + text).slice(-1_000);
    });
    if (child.pid !== undefined) this.limit?.add(child.pid);
    child.stdin.end('\n');
    child.once('close', (code, signal) => {
      this.child = undefined;
      if (!this.wanted) return;
      this.ends.push(`${this.name}: ${signal ?? code}: ${this.lastOutput.trim()}`);
      this.launch();
    });
  }
}
