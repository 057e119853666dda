import type { Socket } from 'node:net';

export class ResponseTimeout extends Error {
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1_000} s`);
  }
}

/** Waits for a response. Destroys the socket on timeout and on abort. */
export async function answerWithin<T>(
  work: Promise<T>,
  { socket, signal, ms }: { socket: Socket; signal: AbortSignal; ms: number },
): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    const timer = setTimeout(() => reject(new ResponseTimeout(ms)), ms);
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
