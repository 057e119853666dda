import { setTimeout as pause } from 'node:timers/promises';
import type { Event, EventFeed } from '@idsync/client';
import { BadValueError, CliError, InterruptedError, UnreachableError, UsageError } from './cli-error.js';
import type { CliContext } from './printer.js';
import type { Session } from './session.js';

/** How long the service may be unreachable before a stream ends. */
const longestOutageMs = 300_000;
const defaultPauseMs = 2_000;

export interface StreamOptions {
  /** Position to start after; the newest event by default. */
  after?: number;
  /** Event types or prefixes such as `user.*`. */
  types?: string[];
  signal: AbortSignal;
  /** Is called once for each outage. */
  onOutage?: (message: string) => void;
  longestOutageMs?: number;
  /** Pause between two requests without an event. */
  pauseMs?: number;
}

export interface EventStream extends AsyncIterable<Event> {
  /** Everything up to here was handled. */
  position(): number;
}

/** Opens the events of the tenant. It continues after an outage where it stopped, unless the outage is too long. */
export async function openEventStream(session: Session, options: StreamOptions): Promise<EventStream> {
  let answeredAt = Date.now();
  const client = await session.tenantClient({
    // The stream repeats what failed, so that it ends at once when it is interrupted.
    retries: 0,
    fetch: async (request, init) => {
      const signal = AbortSignal.any([options.signal, ...(init?.signal ? [init.signal] : [])]);
      const response = await fetch(request, { ...init, signal });
      if (response.status < 500) answeredAt = Date.now();
      return response;
    },
  });
  const after = options.after ?? (await explained(() => client.newestPosition()));
  const feed = client.events({ after, ...(options.types && { types: options.types }) });
  return {
    position: () => feed.position,
    [Symbol.asyncIterator]: () => follow(feed, options, () => Date.now() - answeredAt),
  };
}

async function* follow(
  feed: EventFeed,
  { signal, onOutage, longestOutageMs: longest = longestOutageMs, pauseMs = defaultPauseMs }: StreamOptions,
  silentMs: () => number,
): AsyncGenerator<Event, void, undefined> {
  let isDown = false;
  while (!signal.aborted) {
    try {
      for await (const event of feed.follow({ signal, everyMs: pauseMs })) {
        isDown = false;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      const shown = explain(error);
      if (!(shown instanceof UnreachableError) || silentMs() > longest) throw shown;
      if (!isDown) onOutage?.(shown.message);
      isDown = true;
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Turns errors of the client into those of the command line; `notFound` replaces the text of a 404. */
export async function explained<Result>(request: () => Promise<Result>, notFound?: string): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    if (notFound !== undefined && (error as { status?: number }).status === 404) throw new UsageError(notFound);
    throw explain(error);
  }
}

function explain(error: unknown): Error {
  const { status, message, cause, name } = error as Error & { status?: number; cause?: { code?: string } };
  if (status === 401) return new CliError(`${message}; check --api-key, IDSYNC_API_KEY or the context`);
  if (status === 400) return new BadValueError(message);
  if (status === 404) return new UsageError(message);
  if (status !== undefined)
    return status >= 500 || status === 429 ? new UnreachableError(message) : new CliError(message);
  if (error instanceof TypeError) return new UnreachableError(`cannot reach the service (${cause?.code ?? message})`);
  if (name === 'AbortError') return new InterruptedError('interrupted');
  return name === 'TimeoutError' ? new UnreachableError('no response in time') : (error as Error);
}

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
