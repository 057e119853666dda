/** Lets a loop sleep until a call or a timeout; a call while the loop is busy is remembered. */
export class WakeUp {
  private called = false;
  private waiting: (() => void) | undefined;

  call(): void {
    this.called = true;
    this.waiting?.();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.called) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.waiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.waiting = undefined;
    }
    this.called = false;
  }
}
