import type { BusLogger } from './driver.js';
import { WakeUp } from './wake-up.js';

/** Work that no message asks for, in small portions. */
export interface Chore {
  name: string;
  /** How many `run` does at the most. */
  portion: number;
  /** Returns how many it did: a full portion means that there may be more. */
  run: () => Promise<number>;
}

/** Does its chores until nothing is left to do, and again after a while. One that fails is put off and keeps no other waiting. */
export class Housekeeping {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly everyMs: number,
    private readonly log: Pick<BusLogger, 'warn'>,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      for (const chore of this.chores) await this.finish(chore);
      await this.wakeUp.wait(this.everyMs);
    }
  }

  private async finish({ name, portion, run }: Chore): Promise<void> {
    try {
      while (!this.stopped && (await run()) >= portion);
    } catch (error) {
      this.log.warn(`${name} put off: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
