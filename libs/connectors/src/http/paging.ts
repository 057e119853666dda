import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { valueAt } from '../json/json-value.js';
import type { ApiAnswer } from './api-client.js';

/** Returns the list of a response. Throws if it is missing, because records must not count as deleted then. */
export function listIn({ body, from }: Pick<ApiAnswer, 'body' | 'from'>, name?: string): unknown[] {
  const list = name === undefined ? body : valueAt(body, name);
  if (!Array.isArray(list)) throw new SourceError(`${from} answered without ${name ? `a list "${name}"` : 'a list'}`);
  return list;
}

/** Returns the target of a relation in a `Link` header (RFC 8288); undefined if there is none. */
export function linkTo(headers: IncomingHttpHeaders, relation: 'next' | 'last'): string | undefined {
  const header = headers.link;
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  for (const [, target, parameters = ''] of text.matchAll(
    /<([^<>]*)>((?:\s*;\s*[^\s=;,]+\s*=\s*(?:"[^"]*"|[^\s";,]+))*)/g,
  )) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters) ?? [];
    if ((quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}

/**
 * Detects cursors that repeat. It stores only one cursor, replaced at powers of two (Brent's algorithm), so a cycle is
 * detected within about three times its length.
 */
export class LoopGuard {
  private marked: string | undefined;
  private steps = 0;
  private untilMarked = 1;

  /** Throws SourceError if `cursor` repeats. */
  pass(cursor: string, from: string): void {
    if (cursor === this.marked) throw new SourceError(`${from} returned a page that leads back to an earlier one`);
    this.steps += 1;
    if (this.steps < this.untilMarked) return;
    this.marked = cursor;
    this.steps = 0;
    this.untilMarked *= 2;
  }
}

/** One response of a list. Without `next` it is the end of the list. */
export interface ListAnswer {
  items: readonly unknown[];
  /** The service's link or token to the next response, stored in cursors. */
  next?: string | undefined;
  /** The part of `next` that repeats in a cycle; all of it if absent. */
  cycleKey?: string;
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

interface ListPart<Answer> {
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
