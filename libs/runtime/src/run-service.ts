import { setFlagsFromString } from 'node:v8';
import { EnvironmentError } from './env.js';
import { withoutCredentials } from './without-credentials.js';

export interface RunningService {
  /** Serves on while whoever sends work learns that this ends. */
  drain?(): Promise<void>;
  close(): Promise<void>;
}

const closeWithinMs = 30_000;

/**
 * Runs a service as this process: starts it, and on SIGTERM or SIGINT closes it once, bounded, and exits: with 0 if all that it had
 * begun is done or given back, else with 1. A mistake in the environment is exit code 2, anything else that stops it is 1, each with
 * one plain line and no stack.
 */
export async function runService(
  name: string,
  start: (stopping: AbortSignal) => Promise<RunningService>,
): Promise<void> {
  // Left to itself, the heap grows to four times what lives before it is cleared: the directory held 315 MB in an import
  // instead of 226, at the same speed.
  setFlagsFromString('--heap-growing-percent=120');
  let ending = false;
  const stopping = new AbortController();
  // Also what `start` throws before its first await is a rejection.
  const starting = (async () => start(stopping.signal))();

  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    stopping.abort();
    // The last resort: whatever hangs, the process ends.
    const lastResort = setTimeout(() => {
      process.stderr.write(`${name}: did not close within ${closeWithinMs / 1_000} s\n`);
      process.exit(1);
    }, closeWithinMs).unref();
    // What is still starting is started first, so that it can be closed; the signal tells it to be quick.
    const service = await starting.catch(() => undefined);
    try {
      await service?.drain?.();
      lastResort.refresh();
      await service?.close();
    } catch (error) {
      complain(name, error);
      process.exit(1);
    }
    process.exit(code);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.stderr.write(
        `${name}: ${withoutCredentials(error instanceof Error ? `${error.stack}` : String(error))}\n`,
      );
      void end(1);
    });
  }

  // Who piped us into `head` has gone: there is nobody left to run for.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => void end(error.code === 'EPIPE' ? 0 : 1));
  }

  try {
    await starting;
  } catch (error) {
    complain(name, error);
    process.exit(error instanceof EnvironmentError ? 2 : 1);
  }
}

function complain(name: string, error: unknown): void {
  const message = error instanceof Error ? error.message || error.name : String(error);
  // What names a mistake in the environment holds no value, but examples with a user and a password.
  const shown = error instanceof EnvironmentError ? message : withoutCredentials(message);
  for (const line of shown.split('\n')) process.stderr.write(`${name}: ${line}\n`);
}
