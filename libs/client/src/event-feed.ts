import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from './generated/api.js';

export interface EventPage {
  data: Event[];
  next_after: number;
  has_more: boolean;
}

export interface FollowOptions {
  /** Pause before the next request when there is no newer event, in milliseconds; 2 000 by default. */
  everyMs?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/**
 * The events of the tenant in their order. Iterating over it ends at the newest event; `follow()` waits for later ones.
 * Event types may be added, so skip those that you do not know.
 */
export class EventFeed implements AsyncIterable<Event> {
  /** Everything up to here was read and iterated over. Store `event.sequence` to continue after one event. */
  position: number;

  constructor(
    after: number,
    private readonly readPage: (after: number) => Promise<EventPage>,
  ) {
    this.position = after;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (let more = true; more; ) more = yield* this.page();
  }

  /** Iterates over events until `signal` is aborted. */
  async *follow({ everyMs = 2_000, signal }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    while (!signal?.aborted) {
      const more = yield* this.page();
      if (!more) await pause(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async *page(): AsyncGenerator<Event, boolean, undefined> {
    const { data, next_after, has_more } = await this.readPage(this.position);
    for (const event of data) {
      yield event;
      this.position = event.sequence;
    }
    this.position = next_after;
    return has_more;
  }
}
