/**
 * Reads that concurrent requests share. A request never gets the result of a read that began before it: while one runs,
 * the requests that arrive wait for the next, which answers all of them.
 */
export class SharedReads<Result> {
  private readonly running = new Map<string, Promise<Result>>();
  private readonly waiting = new Map<string, Promise<Result>>();

  constructor(private readonly read: (key: string) => Promise<Result>) {}

  get(key: string): Promise<Result> {
    const running = this.running.get(key);
    if (running === undefined) return this.begin(key);
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) return waiting;
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.waiting.delete(key);
        return this.begin(key);
      });
    this.waiting.set(key, next);
    return next;
  }

  private begin(key: string): Promise<Result> {
    const read = this.read(key).finally(() => {
      if (this.running.get(key) === read) this.running.delete(key);
    });
    this.running.set(key, read);
    return read;
  }
}
