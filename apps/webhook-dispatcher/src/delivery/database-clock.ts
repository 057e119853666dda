/**
 * Estimates the clock of PostgreSQL from its last reported time and the monotonic clock of this process. Due times and
 * breakers are compared with those of other dispatchers, and the clock of this host may be wrong or stepped.
 */
export class DatabaseClock {
  private time = Date.now();
  private setAt = performance.now();

  /** `time`: the time reported by PostgreSQL. */
  set(time: Date): void {
    this.time = time.getTime();
    this.setAt = performance.now();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Math.round(this.time + performance.now() - this.setAt);
  }
}
