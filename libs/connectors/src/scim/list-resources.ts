import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard, listIn } from '../http/paging.js';
import { scalarText, valueAt } from '../json/json-value.js';

/** Maximum number of consecutive empty pages. */
const maxEmptyPages = 100;
/** Overlap of two pages, so that resources that move up after a deletion are not missed. */
const maxOverlap = 10;
const recountPage = 1_000;
const beginning = { seen: 0, digest: 0, total: -1, grown: 0, shrunk: 0 };

/** Reads a list by cursors (RFC 9865). The end is a response without a next cursor. */
export async function* listByCursor(list: ScimList, left?: ListingState): AsyncGenerator<ListingPage> {
  const { client, path, query, pageSize, signal } = list;
  const seen = new SeenResources();
  const loopGuard = new LoopGuard();
  let state: ListingState = left ?? { ...beginning, next: 0, perPage: 0 };
  let empty = 0;
  for (;;) {
    const request = { query: { ...query, cursor: state.cursor ?? '', count: pageSize } };
    const { resources, total, nextCursor, from } = scimAnswer(
      await client
        .page(signal)
        .get(path, request)
        .catch((error: unknown) => {
          throw expired(error);
        }),
    );
    state = withTotal(state, total);
    if (nextCursor !== undefined) loopGuard.pass(nextCursor, from);
    empty = resources.length === 0 ? empty + 1 : 0;
    if (empty > maxEmptyPages) throw new SourceError(`${from} returned ${empty} empty pages in a row`, 'incomplete');

    const fresh = [...resources.entries()].filter(([index, resource]) => index >= state.next && seen.add(resource));
    const last = nextCursor === undefined;
    for (const { page, next, isEnd } of pagesOf(fresh, pageSize)) {
      const behind = last ? { next: resources.length } : { next: 0, cursor: nextCursor };
      const place = state.seen + 1;
      state = { ...state, ...(isEnd ? behind : { next }), seen: state.seen + page.length };
      if (isEnd && last && state.total >= 0) requireTotal(state, from);
      yield { resources: page, place, state, last: isEnd && last };
    }
    if (last) return;
  }
}

/** Divides resources with their indexes in a response into pages, of which the last one may be empty. */
function* pagesOf(resources: readonly (readonly [number, unknown])[], pageSize: number) {
  for (let at = 0; at === 0 || at < resources.length; at += pageSize) {
    const part = resources.slice(at, at + pageSize);
    const next = (part.at(-1)?.[0] ?? -1) + 1;
    yield { page: part.map(([, resource]) => resource), next, isEnd: at + pageSize >= resources.length };
  }
}

function expired(error: unknown): unknown {
  if (error instanceof StatusError && /^(expired|invalid)Cursor$/i.test(error.reason ?? '')) {
    return new SourceError(`${error.message}: its cursor has expired, so the list has to be read again`, 'changed');
  }
  return error;
}

/**
 * Reads a list by `startIndex`. The list may change during the read, so each page overlaps the one before, resources
 * already seen are skipped, and the end is a response after the total without new resources.
 */
export async function* listByIndex(list: ScimList, left?: ListingState): AsyncGenerator<ListingPage> {
  const { client, path, query, pageSize, signal } = list;
  const seen = new SeenResources();
  let state: ListingState = left ?? { ...beginning, next: 1, perPage: pageSize };
  if (left) await recount(list, left, seen);
  for (;;) {
    const overlap = Math.min(maxOverlap, Math.floor(Math.min(state.perPage, pageSize) / 2), state.next - 1);
    const asked = state.next - overlap;
    const request = { query: { ...query, startIndex: asked, count: pageSize } };
    const { resources, total, from } = scimAnswer(await client.page(signal).get(path, request));
    if (total === undefined) throw new SourceError(`${from} answered without totalResults`);
    const before = state;
    state = withTotal(state, total);
    // Some services ignore paging and return all resources.
    const complete = resources.length >= total;
    const start = complete ? 1 : asked;
    const fresh = [...resources.entries()].filter(([, resource]) => seen.add(resource));
    requireAligned(from, { overlap, repeated: resources.length - fresh.length, complete, before, state });
    if (resources.length === 0 && state.next <= total) {
      throw new SourceError(
        `${from} returned an empty page at ${asked} of ${total}, so the list is incomplete`,
        'incomplete',
      );
    }

    const end = start + resources.length;
    const last = end > total && fresh.length === 0;
    for (const { page, next, isEnd } of pagesOf(fresh, pageSize)) {
      const place = state.seen + 1;
      const perPage = isEnd && end <= total ? resources.length : state.perPage;
      // Only returned resources count as seen when the read resumes here.
      state = { ...state, ...returned(state, page), next: isEnd ? end : start + next, perPage };
      if (last) requireTotal(state, from);
      if (last || page.length > 0) yield { resources: page, place, state, last };
    }
    if (last) return;
  }
}

interface Alignment {
  overlap: number;
  repeated: number;
  complete: boolean;
  before: ListingState;
  state: ListingState;
}

/** Throws SourceError unless the response continues where the one before ended. */
function requireAligned(from: string, { overlap, repeated, complete, before, state }: Alignment): void {
  if (complete || before.total < 0) return;
  const grown = state.grown - before.grown;
  if (overlap > 0 && repeated === 0)
    throw new SourceError(`${from}: the list changed too much while it was being read`, 'changed');
  if (overlap === 0 && before.total !== state.total) {
    throw new SourceError(`${from}: the list changed while it was being read`, 'changed');
  }
  // Some services start again after the end.
  if (repeated > overlap + grown && before.next <= state.total) {
    throw new SourceError(`${from} returned resources twice: it does not support paging or has no stable order`);
  }
}

function returned(state: ListingState, page: readonly unknown[]): Pick<ListingState, 'seen' | 'digest'> {
  const one = new SeenResources();
  for (const resource of page) one.add(resource);
  return { seen: state.seen + page.length, digest: SeenResources.sum(state.digest, one.digest) };
}

/** Reads the ids of the resources before the cursor again. Throws SourceError if they have changed. */
async function recount(
  { client, path, query, signal }: ScimList,
  left: ListingState,
  seen: SeenResources,
): Promise<void> {
  let from = path;
  for (let at = 1; at < left.next; ) {
    const count = Math.min(recountPage, left.next - at);
    const request = { query: { ...query, attributes: 'id', startIndex: at, count } };
    const answer = scimAnswer(await client.page(signal).get(path, request));
    from = answer.from;
    const resources = answer.resources.slice(0, left.next - at);
    if (resources.length === 0) break;
    for (const resource of resources) seen.add(resource);
    at += resources.length;
  }
  if (seen.size !== left.seen || seen.digest !== left.digest) {
    throw new SourceError(
      `${from}: the list changed after the read was interrupted, so it has to be read again`,
      'changed',
    );
  }
}

/** A list of resources to read. */
export interface ScimList {
  client: ApiClient;
  /** `/Users` */
  path: string;
  /** Query parameters such as `filter`, the same for every page. */
  query: Readonly<Record<string, string>>;
  pageSize: number;
  signal: AbortSignal;
}

/** The position in a list and the totals so far; part of the cursor of the connector. */
export const listingState = z.object({
  /** Index of the next resource, from 1; with cursors, the number of resources of the response already returned. */
  next: z.int().nonnegative(),
  /** Resources in a full response. */
  perPage: z.int().nonnegative(),
  seen: z.int().nonnegative(),
  digest: z.int().nonnegative(),
  /** The last `totalResults` of the service; -1 if absent. */
  total: z.int().min(-1),
  /** By how much the total has grown and shrunk during the read. */
  grown: z.int().nonnegative(),
  shrunk: z.int().nonnegative(),
  /** The cursor of the service, if it pages by cursor. */
  cursor: z.string().optional(),
});
type ListingState = z.infer<typeof listingState>;

export interface ListingPage {
  resources: unknown[];
  /** Position of the first resource in the list as it was read, from 1. */
  place: number;
  state: ListingState;
  last: boolean;
}

/** One list response (RFC 7644, 3.4.2). */
interface ScimAnswer {
  resources: unknown[];
  total: number | undefined;
  nextCursor: string | undefined;
  from: string;
}

/**
 * Parses a list response. Throws SourceError if it has no resources, because records must not count as deleted then.
 */
export function scimAnswer(answer: ApiAnswer): ScimAnswer {
  const { body, from } = answer;
  const stated = valueAt(body, 'totalResults');
  const total = typeof stated === 'number' && Number.isSafeInteger(stated) && stated >= 0 ? stated : undefined;
  const cursor = valueAt(body, 'nextCursor');
  const nextCursor = typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
  // The standard permits a missing list if the total is 0.
  const absent = valueAt(body, 'Resources') === undefined && total === 0;
  return { resources: absent ? [] : listIn(answer, 'Resources'), total, nextCursor, from };
}

/** Updates the totals by one response. */
function withTotal(state: ListingState, total: number | undefined): ListingState {
  if (total === undefined) return state;
  const change = state.total < 0 ? 0 : total - state.total;
  return {
    ...state,
    total,
    grown: state.grown + Math.max(0, change),
    shrunk: state.shrunk + Math.max(0, -change),
  };
}

/**
 * Throws SourceError if fewer resources were read than the total without additions during the read, or more than a
 * total that did not change.
 */
function requireTotal({ seen, total, grown, shrunk }: ListingState, from: string): void {
  const changed = grown + shrunk > 0;
  if (seen + grown >= total && (changed || seen <= total)) return;
  throw new SourceError(
    `${from} reported ${total} resources but returned ${seen}, so the list is incomplete`,
    'incomplete',
  );
}

const modulus = 2 ** 48;

/**
 * Which resources of a list were seen, some 40 bytes each. Two of a million have the same hash once in twenty thousand
 * lists; then the count of the list is not reached, and the read fails.
 */
class SeenResources {
  private readonly hashes = new Set<number>();
  /** A sum over all resources, independent of order: sets with the same sum and size are equal. */
  digest = 0;

  static sum(one: number, other: number): number {
    return (one + other) % modulus;
  }

  get size(): number {
    return this.hashes.size;
  }

  /** Adds a resource and returns whether it is new. A resource without an id is identified by its content. */
  add(resource: unknown): boolean {
    const id = scalarText(valueAt(resource, 'id'));
    const bytes = createHash('sha1')
      .update(id ?? `\0${JSON.stringify(resource)}`)
      .digest();
    const hash = bytes.readUIntBE(0, 6) * 16 + ((bytes[6] ?? 0) & 15);
    if (this.hashes.has(hash)) return false;
    this.hashes.add(hash);
    this.digest = SeenResources.sum(this.digest, bytes.readUIntBE(8, 6));
    return true;
  }
}
