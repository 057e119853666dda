import { type Database, deleteOldDeliveries, deleteOldEndpoints } from '@idsync/database';
import { WakeUp } from '@idsync/messaging';

const deliveriesAtATime = 1_000;
const everyMs = 5 * 60_000;

/** Deletes what is older than a month, every few minutes and in small portions. */
export class Housekeeping {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: { warn(message: string): void },
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
      try {
        while (!this.stopped && (await forgetOldDeliveries(this.database)) === deliveriesAtATime);
        await this.database.transaction(undefined, deleteOldEndpoints);
      } catch (error) {
        this.log.warn(`housekeeping put off: ${String(error)}`);
      }
      await this.wakeUp.wait(everyMs);
    }
  }
}

/** Returns how many. */
async function forgetOldDeliveries(database: Database): Promise<number> {
  return database.transaction(undefined, (tx) => deleteOldDeliveries(tx, deliveriesAtATime));
}
