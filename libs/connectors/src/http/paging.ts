import type { IncomingHttpHeaders } from 'node:http';
import { SourceError } from '../connector.js';
import { valueAt } from '../json/json-value.js';
import type { ApiAnswer } from './api-client.js';

/** Returns the list of a response. Throws if it is missing, because records must not count as deleted then. */
export function listIn({ body, from }: Pick<ApiAnswer, 'body' | 'from'>, name?: string): unknown[] {
  const list = name === undefined ? body : valueAt(body, name);
  if (!Array.isArray(list)) throw new SourceError(`${from} answered without ${name ? `a list "${name}"` : 'a list'}`);
  return list;
}

/** The target of `rel="next"` in a `Link` header (RFC 8288); undefined if there is none. */
export function nextLink(headers: IncomingHttpHeaders): string | undefined {
  return linkTo(headers, 'next');
}

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
