import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { LoopGuard } from './paging.js';

/** One answer of a list, and what leads to the next one; no `next` is the end of the list. */
export interface ListAnswer {
  items: readonly unknown[];
  /** A link or token of the service's, kept in cursors. */
  next?: string | undefined;
  /** What comes again in `next` where a list goes in a circle; all of it if absent. */
  unmoved?: string;
  /** What was asked, for messages. */
  from: string;
}

/** Where a list was left; goes into a connector's cursor. */
export const listPlace = z.object({
  /** What leads to the answer that is read; empty for the first. */
  next: z.string(),
  /** How many of its items were handed on, and what they were. */
  done: z.int().nonnegative(),
  digest: z.string(),
  /** Items handed on in all. */
  seen: z.int().nonnegative(),
});
export type ListPlace = z.infer<typeof listPlace>;

export interface ListPart<Answer> {
  items: readonly unknown[];
  /** Where to go on behind these items. */
  place: ListPlace;
  answer: Answer;
  /** True of the last part of its answer. */
  whole: boolean;
  /** True of the last part of the answer that has no next. */
  last: boolean;
}

const beginning: ListPlace = { next: '', done: 0, digest: '', seen: 0 };
/** Some services give empty answers while they look for the next item. */
const maxEmpty = 1_000;

/**
 * Reads a list answer by answer, in parts of at most `pageSize` items, until the signal ends. `ask` gets what leads to an answer, the empty text for the
 * first. An answer that is not the same when reading goes on in its middle is handed on once more from its beginning: an item
 * may come twice, and none is missed.
 */
export async function* readList<Answer extends ListAnswer>(
  ask: (next: string) => Promise<Answer>,
  { pageSize, signal }: { pageSize: number; signal?: AbortSignal },
  left: ListPlace = beginning,
): AsyncGenerator<ListPart<Answer>> {
  const circle = new LoopGuard();
  let { next, seen } = left;
  let done = left.done;
  let empty = 0;
  for (;;) {
    const answer = await ask(next);
    const { items, from } = answer;
    if (answer.next !== undefined) circle.pass(answer.unmoved ?? answer.next, from);
    empty = items.length === 0 ? empty + 1 : 0;
    if (empty > maxEmpty) throw new SourceError(`${from} gave ${empty} empty pages in a row`);
    if (done > 0 && digestOf(items.slice(0, done)) !== left.digest) done = 0;
    do {
      signal?.throwIfAborted();
      const part = items.slice(done, done + pageSize);
      done += part.length;
      seen += part.length;
      const whole = done >= items.length;
      const place =
        whole && answer.next !== undefined
          ? { ...beginning, next: answer.next, seen }
          : { next, done, digest: digestOf(items.slice(0, done)), seen };
      yield { items: part, place, answer, whole, last: whole && answer.next === undefined };
    } while (done < items.length);
    if (answer.next === undefined) return;
    next = answer.next;
    done = 0;
  }
}

function digestOf(items: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(items)).digest('base64url').slice(0, 22);
}
