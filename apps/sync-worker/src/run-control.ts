import { WakeUp } from '@idsync/messaging';

/** Why a run ended that was not the job's end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly reason: 'lease lost' | 'job ended' | 'worker stops') {
    super(reason);
  }
}

/** The strings by which a run in progress is held. */
export class RunControl {
  readonly wakeUp = new WakeUp();
  private readonly controller = new AbortController();
  private stopAsked = false;

  /** Fires when the page in hand is of no use any more. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get stopping(): boolean {
    return this.stopAsked;
  }

  /** The run ends after the page in hand. */
  stop(): void {
    this.stopAsked = true;
    this.wakeUp.call();
  }

  /** The run ends now; what it has in hand is not written. */
  interrupt(reason: Interrupted['reason']): void {
    this.controller.abort(new Interrupted(reason));
    this.wakeUp.call();
  }
}
