import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const library = ['/usr/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
  .map((folder) => `${folder}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

/** Why clocks cannot be stepped on this machine; undefined if they can. */
export const clockUnavailable = library ? undefined : 'libfaketime is not installed';

/** The wall clock of one process, which can be stepped while it runs; its monotonic clock is not affected. */
export class SteppedClock {
  private constructor(private readonly file: string) {}

  static async at(file: string): Promise<SteppedClock> {
    const clock = new SteppedClock(file);
    await clock.step(0);
    return clock;
  }

  /** Environment for the process. */
  get env(): NodeJS.ProcessEnv {
    if (!library) return {};
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      // Seconds until a step takes effect: reading the file at each clock call would be slow.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  step(seconds: number): Promise<void> {
    return writeFile(this.file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  }
}
