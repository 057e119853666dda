import { SourceError } from '@idsync/connectors';

/** What a source answers, unless the run is interrupted or the source is silent for too long. */
export async function answerOf<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Answer> {
  signal.throwIfAborted();
  let stopWaiting = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    const interrupted = () => reject(signal.reason);
    const silent = () => reject(new SourceError(`the source was silent for ${timeoutMs / 1000} seconds`));
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
