import { SourceError } from '../connector.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard } from '../http/paging.js';
import {
  type ListingPage,
  type ListingState,
  requireTotal,
  type ScimList,
  SeenResources,
  scimAnswer,
  withTotal,
} from './scim-listing.js';

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

    let page: unknown[] = [];
    let place = state.seen + 1;
    for (const [index, resource] of resources.entries()) {
      if (index < state.next || !seen.add(resource)) continue;
      page.push(resource);
      if (page.length < pageSize || index === resources.length - 1) continue;
      state = { ...state, next: index + 1, seen: state.seen + page.length };
      yield { resources: page, place, state, last: false };
      place += page.length;
      page = [];
    }
    const last = nextCursor === undefined;
    const behind = last ? { next: resources.length } : { next: 0, cursor: nextCursor };
    state = { ...state, ...behind, seen: state.seen + page.length };
    if (last && state.total >= 0) requireTotal(state, from);
    yield { resources: page, place, state, last };
    if (last) return;
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
    const fresh = resources.map((resource) => seen.add(resource));
    const added = fresh.filter(Boolean).length;
    requireAligned(from, { overlap, repeated: resources.length - added, complete, before, state });
    if (resources.length === 0 && state.next <= total) {
      throw new SourceError(
        `${from} returned an empty page at ${asked} of ${total}, so the list is incomplete`,
        'incomplete',
      );
    }

    let page: unknown[] = [];
    let place = state.seen + 1;
    for (const [index, resource] of resources.entries()) {
      if (!fresh[index]) continue;
      page.push(resource);
      if (page.length < pageSize || index === resources.length - 1) continue;
      // Only returned resources count as seen when the read resumes here.
      state = { ...state, next: start + index + 1, ...returned(state, page) };
      yield { resources: page, place, state, last: false };
      place += page.length;
      page = [];
    }
    const next = start + resources.length;
    state = { ...state, ...returned(state, page), next, perPage: next <= total ? resources.length : state.perPage };
    const last = next > total && added === 0;
    if (last) requireTotal(state, from);
    if (last || page.length > 0) yield { resources: page, place, state, last };
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
