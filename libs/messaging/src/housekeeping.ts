import { BackgroundService, type Logger } from '@idsync/runtime';
import { WakeUp } from './wake-up.js';

/** Periodic work in small batches. */
export interface Chore {
  name: string;
  /** Maximum size of one batch. */
  batchSize: number;
  /** Returns the number of processed items; a full batch means that there may be more. */
  run: () => Promise<number>;
}

/**
 * Runs its chores periodically, each until a batch is not full. A failing chore waits for the next round and does not
 * block others.
 */
export class Housekeeping extends BackgroundService {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly everyMs: number,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    super();
  }

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

  private async finish({ name, batchSize, run }: Chore): Promise<void> {
    try {
      while (!this.stopped && (await run()) >= batchSize);
    } catch (err) {
      this.log.warn({ err, chore: name }, 'housekeeping chore failed, will retry');
    }
  }
}
