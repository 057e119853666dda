/** Lets one loop sleep until it is called, or until its time is up; a call while it works is not lost. */
export class WakeUp {
  private called = false;
  private stopWaiting: (() => void) | undefined;

  call(): void {
    this.called = true;
    this.stopWaiting?.();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.called) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.stopWaiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.stopWaiting = undefined;
    }
    this.called = false;
  }
}
