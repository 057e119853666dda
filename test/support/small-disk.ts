import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const mebibyte = 2 ** 20;
const tries = 20;

/**
 * An in-memory file system that can be filled instantly by shrinking it to its used size. Requires the right to mount
 * (root).
 */
export class SmallDisk {
  private constructor(
    readonly folder: string,
    private readonly bytes: number,
  ) {}

  /** Throws an error with the reason if this machine cannot mount one. */
  static mount(mebibytes: number): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'idsync-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'idsync-test', folder], {
        stdio: 'pipe',
      });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return new SmallDisk(folder, mebibytes * mebibyte);
  }

  /** Returns why this machine cannot mount one; undefined if it can. */
  static unavailable(): string | undefined {
    try {
      const { folder } = SmallDisk.mount(1);
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
      return undefined;
    } catch (error) {
      return `no file system can be mounted here: ${(error as Error).message.trim()}`;
    }
  }

  /** Leaves only `spareBytes` of free space. */
  async fill(spareBytes = 0): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { blocks, bfree, bsize } = await statfs(this.folder);
      // If data is written between the check and the remount, the kernel refuses because too little space was spared.
      const size = (blocks - bfree) * bsize + spareBytes + (attempt - 1) * 256 * 1024;
      const filled = await this.resize(size).then(
        () => true,
        (error: unknown) => {
          if (attempt === tries) throw error;
          return false;
        },
      );
      if (filled) return;
    }
  }

  /** Restores the free space. */
  free(): Promise<void> {
    return this.resize(this.bytes);
  }

  async remove(): Promise<void> {
    await run('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async resize(bytes: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${bytes}`, this.folder]);
  }
}
