import type { Database } from '@idsync/database';
import type { BusLogger } from './driver.js';
import { WakeUp } from './wake-up.js';

const everyMs = 10 * 60_000;
const portion = 5_000;

/** Forgets messages received long ago: no broker redelivers after a week what was settled then. */
export class InboxHousekeeping {
  private readonly wakeUp = new WakeUp();
  private stopped = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: BusLogger,
  ) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      await this.wakeUp.wait(everyMs);
      try {
        while (!this.stopped && (await this.forgetPortion()) === portion);
      } catch (error) {
        this.log.warn(`inbox not tidied: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  private async forgetPortion(): Promise<number> {
    const rows = await this.database.transaction(undefined, (tx) =>
      tx.query(
        `delete from inbox where consumer = current_user and message_id in (
           select message_id from inbox where consumer = current_user and received_at < now() - interval '7 days' limit $1)
         returning message_id`,
        [portion],
      ),
    );
    return rows.length;
  }
}
