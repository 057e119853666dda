import type { CliContext } from './cli-context.js';

/** 128 and the number of SIGINT, as shells report it. */
export const interruptedExitCode = 130;

export interface Interruption {
  signal: AbortSignal;
  /** Restores the default of the signals: to end the process. */
  dispose(): void;
}

/** Aborts on the first SIGINT or SIGTERM, so that a command that follows a stream can say where it stopped. */
export function interruption({ stop }: CliContext): Interruption {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return {
    signal: stop ? AbortSignal.any([stop, controller.signal]) : controller.signal,
    dispose() {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}
