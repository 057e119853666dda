import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf } from './answer-of.js';
import { type Connector, type Page, type ReadOptions, SourceError } from './connector.js';
import { backoffMs } from './http/waiting.js';

export interface OutageSettings {
  /** Maximum duration of an outage, from its first failure to the last retry. 0 disables retries. */
  outageMs: number;
  /** The first pause of an outage. It doubles up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** Timeout of one attempt to read one page. */
  pageTimeoutMs: number;
}

/** A transient failure that is retried. */
export interface Outage {
  error: SourceError;
  /** Number of consecutive failures. */
  failures: number;
  pauseMs: number;
}

export interface OutageControl {
  /** Aborted to prevent further retries. A running attempt continues; a pause ends with the abort reason. */
  giveUp?: AbortSignal;
  /** Called before each pause. */
  notice?: (outage: Outage) => void;
}

/**
 * Reads like `connector.read` and retries transient failures. Each retry starts after the last page with new
 * connections, as after a restart of the worker, so no record is lost, and records repeat only where resuming repeats
 * them.
 */
export async function* readThroughOutages(
  connector: Pick<Connector, 'read'>,
  options: ReadOptions,
  { outageMs, firstPauseMs, longestPauseMs, pageTimeoutMs }: OutageSettings,
  { giveUp, notice }: OutageControl = {},
): AsyncGenerator<Page> {
  const { signal } = options;
  let outage: { began: number; failures: number } | undefined;
  let { cursor } = options;
  for (;;) {
    const pages = connector.read({ ...options, ...(cursor && { cursor }) })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await answerOf(() => pages.next(), signal, pageTimeoutMs);
        if (next.done) throw new SourceError('the source stopped before the end of its data', 'incomplete');
        outage = undefined;
        cursor = next.value.cursor;
        yield next.value;
        if (next.value.last) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceError) || !error.transient) throw error;
      giveUp?.throwIfAborted();
      outage ??= { began: performance.now(), failures: 0 };
      const leftMs = outageMs - (performance.now() - outage.began);
      if (outageMs === 0 || leftMs <= 0) throw error;
      outage.failures += 1;
      const pauseMs = Math.min(backoffMs(outage.failures, firstPauseMs, longestPauseMs), leftMs);
      notice?.({ error, failures: outage.failures, pauseMs });
      const ended = giveUp ? AbortSignal.any([signal, giveUp]) : signal;
      await sleep(pauseMs, undefined, { signal: ended }).catch(() => ended.throwIfAborted());
    } finally {
      // Not awaited, because a hanging read would never settle.
      void Promise.resolve(pages.return?.()).catch(() => undefined);
    }
  }
}
