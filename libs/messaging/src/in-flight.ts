import { within } from '@idsync/runtime';

/** Tracks the tasks of a consumer that have not ended. */
export class InFlight {
  private readonly tasks = new Set<Promise<void>>();

  get size(): number {
    return this.tasks.size;
  }

  add(work: Promise<void>): void {
    const task = work
      .catch(() => undefined)
      .then(() => {
        this.tasks.delete(task);
      });
    this.tasks.add(task);
  }

  /** Returns true once all tasks have ended, or false after the given time. */
  drained(milliseconds: number): Promise<boolean> {
    return within(milliseconds, Promise.all(this.tasks));
  }
}
