import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const v1 = '/sys/fs/cgroup/memory';
const v2 = '/sys/fs/cgroup';

/**
 * A Linux control group with a memory limit: the kernel kills a process in it that exceeds the limit, as in a
 * container. Supports cgroup v1 and v2; requires the right to create groups (root).
 */
export class MemoryLimit {
  private constructor(
    private readonly folder: string,
    private readonly counter: (folder: string) => number,
  ) {}

  /** Creates a group with a limit of `bytes`. Throws an error with the reason if this machine does not support it. */
  static create(bytes: number): MemoryLimit {
    const name = `idsync-test-${randomUUID()}`;
    if (existsSync(`${v1}/memory.limit_in_bytes`)) {
      const folder = `${v1}/${name}`;
      mkdirSync(folder);
      writeFileSync(`${folder}/memory.limit_in_bytes`, String(bytes));
      // Otherwise memory over the limit goes to swap, which containers do not have; the file is absent without swap
      // accounting.
      if (existsSync(`${folder}/memory.memsw.limit_in_bytes`)) {
        writeFileSync(`${folder}/memory.memsw.limit_in_bytes`, String(bytes));
      }
      return new MemoryLimit(folder, (group) => field(`${group}/memory.oom_control`, 'oom_kill'));
    }
    const folder = `${v2}/${name}`;
    mkdirSync(folder);
    writeFileSync(`${folder}/memory.max`, String(bytes));
    if (existsSync(`${folder}/memory.swap.max`)) writeFileSync(`${folder}/memory.swap.max`, '0');
    return new MemoryLimit(folder, (group) => field(`${group}/memory.events`, 'oom_kill'));
  }

  /** Returns why this machine cannot limit memory; undefined if it can. */
  static unavailable(): string | undefined {
    try {
      const probe = MemoryLimit.create(64 * 1024 * 1024);
      rmdirSync(probe.folder);
      return undefined;
    } catch (error) {
      return `no control group with a memory limit can be created here: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Moves a process into the group; its later children belong to it, too. */
  add(pid: number): void {
    writeFileSync(`${this.folder}/cgroup.procs`, String(pid));
  }

  /** Number of processes of the group that the kernel has killed for memory. */
  get kills(): number {
    return this.counter(this.folder);
  }

  /** Removes the group. All its processes must have ended; the kernel may take a moment to notice that. */
  async remove(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        rmdirSync(this.folder);
        return;
      } catch (error) {
        if (attempt === 100) throw error;
        await sleep(50);
      }
    }
  }
}

function field(file: string, name: string): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}
