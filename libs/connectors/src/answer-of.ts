import { SourceError } from './connector.js';

/** Returns the outcome of `work`, or throws the abort reason if the signal is aborted first, or `late()` after `ms`. */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  timeout?: { ms: number; late: () => Error },
): Promise<T> {
  let stopWaiting = () => {};
  const stopped = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    const timer = timeout && setTimeout(() => reject(timeout.late()), timeout.ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    stopWaiting = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  return Promise.race([work, stopped]).finally(stopWaiting);
}

/** Returns the response of a source, or throws on abort and on timeout. */
export async function answerOf<T>(ask: () => Promise<T>, signal: AbortSignal, timeoutMs: number): Promise<T> {
  signal.throwIfAborted();
  const late = () => new SourceError(`the source did not respond for ${timeoutMs / 1000} seconds`, 'timed_out');
  return orAborted(ask(), signal, { ms: timeoutMs, late });
}

/** Returns the results of `work` for each item, with at most `limit` at a time. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const queue = items.entries();
  const workers = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  });
  await Promise.all(workers);
  return results;
}
