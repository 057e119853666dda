import type { IncomingHttpHeaders } from 'node:http';
import { SourceError } from '../connector.js';
import { valueAt } from '../json/json-value.js';
import type { ApiAnswer } from './api-client.js';

/** The list of an answer. One without it says nothing of what there is, so nobody must be taken for gone: it throws. */
export function listIn({ body, from }: ApiAnswer, name?: string): unknown[] {
  const list = name === undefined ? body : valueAt(body, name);
  if (!Array.isArray(list)) throw new SourceError(`${from} answered without ${name ? `a list "${name}"` : 'a list'}`);
  return list;
}

/** The target of `rel="next"` in a `Link` header (RFC 8288); undefined if there is none. */
export function nextLink(headers: IncomingHttpHeaders): string | undefined {
  const header = headers.link;
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  for (const [, target, parameters = ''] of text.matchAll(
    /<([^>]*)>((?:\s*;\s*[^\s=;,]+\s*=\s*(?:"[^"]*"|[^\s";,]+))*)/g,
  )) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(parameters)) return target;
  }
  return undefined;
}

/**
 * Notices that a source gives out the same cursors over and over. Remembers one of them, however many there are: the one it
 * compares with moves on at powers of two (Brent), so a circle is seen within about three times its length.
 */
export class LoopGuard {
  private marked: string | undefined;
  private steps = 0;
  private untilMarked = 1;

  /** Throws SourceError if `cursor` was there before. */
  pass(cursor: string, from: string): void {
    if (cursor === this.marked)
      throw new SourceError(`${from} answers in a circle: a page leads back to an earlier one`);
    this.steps += 1;
    if (this.steps < this.untilMarked) return;
    this.marked = cursor;
    this.steps = 0;
    this.untilMarked *= 2;
  }
}
