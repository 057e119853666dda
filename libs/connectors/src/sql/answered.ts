import type { Socket } from 'node:net';

export class NoAnswer extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1_000} s`);
  }
}

/** Waits for an answer on a socket, which is destroyed if the answer is late or the signal comes first. */
export async function answered<T>(
  work: Promise<T>,
  { socket, signal, ms }: { socket: Socket; signal: AbortSignal; ms: number },
): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    const timer = setTimeout(() => reject(new NoAnswer(ms)), ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  stopped.catch(() => socket.destroy());
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stop();
    work.catch(() => {});
  }
}
