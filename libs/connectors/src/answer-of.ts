import { SourceError } from './connector.js';

/** Returns the response of a source, or throws on abort and on timeout. */
export async function answerOf<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Answer> {
  signal.throwIfAborted();
  let stopWaiting = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    const interrupted = () => reject(signal.reason);
    const silent = () =>
      reject(new SourceError(`the source did not respond for ${timeoutMs / 1000} seconds`, 'timed_out'));
    const timer = setTimeout(silent, timeoutMs);
    signal.addEventListener('abort', interrupted, { once: true });
    stopWaiting = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupted);
    };
  });
  try {
    return await Promise.race([ask(), givenUp]);
  } finally {
    stopWaiting();
  }
}
