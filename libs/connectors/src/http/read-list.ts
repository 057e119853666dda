import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { LoopGuard } from './paging.js';

/** One response of a list. Without `next` it is the end of the list. */
export interface ListAnswer {
  items: readonly unknown[];
  /** The service's link or token to the next response, stored in cursors. */
  next?: string | undefined;
  /** The part of `next` that repeats in a cycle; all of it if absent. */
  cycleKey?: string;
  /** The request, for messages. */
  from: string;
}

/** A position in a list, part of a connector's cursor. */
export const listPlace = z.object({
  /** The link or token of the current response; empty for the first. */
  next: z.string(),
  /** The number of its items already returned, and their digest. */
  done: z.int().nonnegative(),
  digest: z.string(),
  /** The number of all items returned. */
  seen: z.int().nonnegative(),
});
export type ListPlace = z.infer<typeof listPlace>;

export interface ListPart<Answer> {
  items: readonly unknown[];
  /** The position after these items. */
  place: ListPlace;
  answer: Answer;
  /** Whether this is the last part of its response. */
  complete: boolean;
  /** Whether this is the last part of the last response. */
  last: boolean;
}

const beginning: ListPlace = { next: '', done: 0, digest: '', seen: 0 };
/** Some services return empty responses while they search for the next item. */
const maxEmpty = 1_000;

/**
 * Reads a list response by response, in parts of at most `pageSize` items, until the signal is aborted. `ask` receives
 * the link or token of a response, which is empty for the first. If a partly read response has changed on resume, all
 * its items are returned again, so items may repeat but none is lost.
 */
export async function* readList<Answer extends ListAnswer>(
  ask: (next: string) => Promise<Answer>,
  { pageSize, signal }: { pageSize: number; signal?: AbortSignal },
  left: ListPlace = beginning,
): AsyncGenerator<ListPart<Answer>> {
  const loopGuard = new LoopGuard();
  let { next, seen } = left;
  let done = left.done;
  let empty = 0;
  for (;;) {
    const answer = await ask(next);
    const { items, from } = answer;
    if (answer.next !== undefined) loopGuard.pass(answer.cycleKey ?? answer.next, from);
    empty = items.length === 0 ? empty + 1 : 0;
    if (empty > maxEmpty) throw new SourceError(`${from} returned ${empty} empty pages in a row`, 'incomplete');
    if (done > 0 && digestOf(items.slice(0, done)) !== left.digest) done = 0;
    do {
      signal?.throwIfAborted();
      const part = items.slice(done, done + pageSize);
      done += part.length;
      seen += part.length;
      const complete = done >= items.length;
      const place =
        complete && answer.next !== undefined
          ? { ...beginning, next: answer.next, seen }
          : { next, done, digest: digestOf(items.slice(0, done)), seen };
      yield { items: part, place, answer, complete, last: complete && answer.next === undefined };
    } while (done < items.length);
    if (answer.next === undefined) return;
    next = answer.next;
    done = 0;
  }
}

function digestOf(items: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(items)).digest('base64url').slice(0, 22);
}
