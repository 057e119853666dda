import { setFlagsFromString } from 'node:v8';
import { EnvironmentError } from './env.js';
import { withoutCredentials } from './without-credentials.js';

export interface RunningService {
  /** Continues to serve until load balancers have noticed the shutdown. */
  drain?(): Promise<void>;
  close(): Promise<void>;
  /** Resolves with the reason when the service can no longer work; the process then closes it and exits with 1. */
  failed?: Promise<Error>;
}

const closeWithinMs = 30_000;

/**
 * Runs a service as this process. SIGTERM or SIGINT closes it once, within a time limit. Exit code 0 means that all
 * work was finished or returned, 2 an invalid environment, 1 any other failure; failures print one line without a
 * stack.
 */
export async function runService(
  name: string,
  start: (stopping: AbortSignal) => Promise<RunningService>,
  { hasSmallHeap = true }: { hasSmallHeap?: boolean } = {},
): Promise<void> {
  // By default the heap grows to four times the live data before collection: an import used 315 MB in the directory
  // instead of 226, at the same speed. The gateway serves large texts from much live data: frequent collections cost it
  // a sixth of its CPU.
  if (hasSmallHeap) setFlagsFromString('--heap-growing-percent=120');
  let ending = false;
  const stopping = new AbortController();
  // The async wrapper turns a synchronous error of `start` into a rejection.
  const starting = (async () => start(stopping.signal))();

  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    stopping.abort();
    // Ends the process even if closing hangs.
    const lastResort = setTimeout(() => {
      process.stderr.write(`${name}: shutdown did not finish within ${closeWithinMs / 1_000} s\n`);
      process.exit(1);
    }, closeWithinMs).unref();
    // A service that is still starting must finish, so that it can be closed; the signal shortens its start.
    const service = await starting.catch(() => undefined);
    try {
      await service?.drain?.();
      lastResort.refresh();
      await service?.close();
    } catch (error) {
      printError(name, error);
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

  // A closed pipe (`| head`) stops the process.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => void end(error.code === 'EPIPE' ? 0 : 1));
  }

  try {
    const service = await starting;
    void service.failed?.then((error) => {
      printError(name, error);
      return end(1);
    });
  } catch (error) {
    printError(name, error);
    process.exit(error instanceof EnvironmentError ? 2 : 1);
  }
}

function printError(name: string, error: unknown): void {
  const message = error instanceof Error ? error.message || error.name : String(error);
  // An EnvironmentError contains no values, but examples with user and password that must stay readable.
  const shown = error instanceof EnvironmentError ? message : withoutCredentials(message);
  for (const line of shown.split('\n')) process.stderr.write(`${name}: ${line}\n`);
}
