import { SourceError } from '../connector.js';
import {
  type ListingPage,
  type ListingState,
  requireTotal,
  type ScimList,
  scimAnswer,
  withTotal,
} from './scim-listing.js';
import { SeenResources } from './seen-resources.js';

/** Resources that two pages share: where some vanish before the place that was reached, those that moved up are not missed. */
const maxOverlap = 10;
const recountPage = 1_000;

/**
 * Reads a list by `startIndex`. Nothing keeps such a list still, so each page begins within the one before, what was seen is
 * known, and the end is an answer behind the total that brings nothing new.
 */
export async function* listByIndex(list: ScimList, left?: ListingState): AsyncGenerator<ListingPage> {
  const { client, path, query, pageSize, signal } = list;
  const seen = new SeenResources();
  let state: ListingState = left ?? {
    next: 1,
    perPage: pageSize,
    seen: 0,
    digest: 0,
    total: -1,
    grown: 0,
    shrunk: 0,
  };
  if (left) await recount(list, left, seen);
  for (;;) {
    const overlap = Math.min(maxOverlap, Math.floor(Math.min(state.perPage, pageSize) / 2), state.next - 1);
    const asked = state.next - overlap;
    const request = { query: { ...query, startIndex: asked, count: pageSize } };
    const { resources, total, from } = scimAnswer(await client.page(signal).get(path, request));
    if (total === undefined) throw new SourceError(`${from} answered without totalResults`);
    const before = state;
    state = withTotal(state, total);
    // Some services know no pages, whatever they are asked.
    const whole = resources.length >= total;
    const start = whole ? 1 : asked;
    const fresh = resources.map((resource) => seen.add(resource));
    const added = fresh.filter(Boolean).length;
    requireAligned(from, { overlap, repeated: resources.length - added, whole, before, state });
    if (resources.length === 0 && state.next <= total) {
      throw new SourceError(`${from} gave an empty page at ${asked} of ${total}: the list is not complete`);
    }

    let page: unknown[] = [];
    let place = state.seen + 1;
    for (const [index, resource] of resources.entries()) {
      if (!fresh[index]) continue;
      page.push(resource);
      if (page.length < pageSize || index === resources.length - 1) continue;
      // What was not handed on yet is not seen, should reading go on from here.
      state = { ...state, next: start + index + 1, ...handedOn(state, page) };
      yield { resources: page, place, state, last: false };
      place += page.length;
      page = [];
    }
    const next = start + resources.length;
    state = { ...state, ...handedOn(state, page), next, perPage: next <= total ? resources.length : state.perPage };
    const last = next > total && added === 0;
    if (last) requireTotal(state, from);
    if (last || page.length > 0) yield { resources: page, place, state, last };
    if (last) return;
  }
}

interface Alignment {
  overlap: number;
  repeated: number;
  whole: boolean;
  before: ListingState;
  state: ListingState;
}

/** Throws SourceError unless the answer goes on where the one before ended. */
function requireAligned(from: string, { overlap, repeated, whole, before, state }: Alignment): void {
  if (whole || before.total < 0) return;
  const grown = state.grown - before.grown;
  if (overlap > 0 && repeated === 0)
    throw new SourceError(`${from}: the list changed too much while it was being read`);
  if (overlap === 0 && before.total !== state.total) {
    throw new SourceError(`${from}: the list changed while it was being read`);
  }
  // Behind the end some begin again.
  if (repeated > overlap + grown && before.next <= state.total) {
    throw new SourceError(`${from} gives resources twice: it does not page, or not in an order that stays`);
  }
}

function handedOn(state: ListingState, page: readonly unknown[]): Pick<ListingState, 'seen' | 'digest'> {
  const one = new SeenResources();
  for (const resource of page) one.add(resource);
  return { seen: state.seen + page.length, digest: SeenResources.sum(state.digest, one.digest) };
}

/** Reads the ids again of what another process has read. Throws SourceError if these are others by now. */
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
    throw new SourceError(`${from}: the list changed since reading was interrupted, so it has to be read anew`);
  }
}
