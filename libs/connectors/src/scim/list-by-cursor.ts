import { SourceError } from '../connector.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard } from '../http/paging.js';
import {
  type ListingPage,
  type ListingState,
  requireTotal,
  type ScimList,
  scimAnswer,
  withTotal,
} from './scim-listing.js';
import { SeenResources } from './seen-resources.js';

/** Maximum number of consecutive empty pages. */
const maxEmptyPages = 100;

/** Reads a list by cursors (RFC 9865). The end is a response without a next cursor. */
export async function* listByCursor(list: ScimList, left?: ListingState): AsyncGenerator<ListingPage> {
  const { client, path, query, pageSize, signal } = list;
  const seen = new SeenResources();
  const loopGuard = new LoopGuard();
  let state: ListingState = left ?? { next: 0, perPage: 0, seen: 0, digest: 0, total: -1, grown: 0, shrunk: 0 };
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
