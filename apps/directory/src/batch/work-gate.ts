/**
 * Lock that runs work of this process concurrently or alone, in FIFO order. After a crash, only work that ran alone is
 * known to be the cause, because only it had all of the memory.
 */
export class WorkGate {
  private readonly waiting: { alone: boolean; start: () => void }[] = [];
  private running = 0;
  private occupied = false;

  /** Runs work concurrently with other shared work. */
  shared<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.run(false, work);
  }

  /** Runs work while no other work of this gate runs. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.run(true, work);
  }

  private async run<Result>(alone: boolean, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      this.waiting.push({ alone, start });
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (alone) this.occupied = false;
      this.admit();
    }
  }

  private admit(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      if (this.occupied || (next.alone && this.running > 0)) return;
      this.waiting.shift();
      this.running += 1;
      this.occupied = next.alone;
      next.start();
    }
  }
}
