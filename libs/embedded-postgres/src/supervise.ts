import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './postgres-server.js';

/** Delays in ms before each restart attempt; after the last one the server is given up. */
const defaultDelays = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];
/** A server that ran this long before it stopped gets all attempts again. */
const stableAfterMs = 60_000;

/** PostgreSQL stopped unexpectedly and could not be restarted. */
export class PostgresLostError extends Error {
  override readonly name = 'PostgresLostError';
}

export interface SuperviseOptions {
  start: () => Promise<Server>;
  /** Called with the server's last log lines each time it stopped unexpectedly. */
  onStopped?: ((lastOutput: string) => void) | undefined;
  delaysMs?: readonly number[];
}

export interface Supervised {
  /** Resolves with the reason when the server is given up; otherwise stays pending. */
  lost: Promise<PostgresLostError>;
  stop(): Promise<void>;
}

/**
 * Starts a server and restarts it with growing delays when it stops unexpectedly. Throws the error of the first start.
 */
export async function supervise({ start, onStopped, delaysMs = defaultDelays }: SuperviseOptions): Promise<Supervised> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: Server | undefined = await start();

  const watch = async (): Promise<PostgresLostError | undefined> => {
    let attempt = 0;
    while (current) {
      const startedAt = performance.now();
      let reason = await current.exited;
      current = undefined;
      if (signal.aborted) return undefined;
      onStopped?.(reason);
      // A server that stops soon after a restart uses up its attempts, too.
      if (performance.now() - startedAt >= stableAfterMs) attempt = 0;
      for (; !current; attempt += 1) {
        if (attempt >= delaysMs.length)
          return new PostgresLostError(
            `the embedded PostgreSQL stopped, and ${attempt} attempts to start it again failed: ${reason}`,
          );
        await sleep(delaysMs[attempt], undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return undefined;
        current = await start().catch((error: Error) => {
          reason = error.message;
          return undefined;
        });
      }
      if (signal.aborted) await current.stop();
    }
    return undefined;
  };

  const watching = watch();
  return {
    lost: new Promise((resolve) => {
      void watching.then((error) => error && resolve(error));
    }),
    async stop() {
      stopping.abort();
      await current?.stop();
      await watching;
    },
  };
}
