import { within } from '@idsync/runtime';

/** The work a consumer has begun and not ended. */
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

  /** True once all of it has ended; false if that takes longer than so many milliseconds. */
  drained(milliseconds: number): Promise<boolean> {
    return within(milliseconds, Promise.all(this.tasks));
  }
}
