import { z } from 'zod';
import { SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { listIn } from '../http/paging.js';
import { valueAt } from '../json/json-value.js';

/** A list of resources that is read to its end. */
export interface ScimList {
  client: ApiClient;
  /** `/Users` */
  path: string;
  /** `filter` and the like, the same for every page. */
  query: Readonly<Record<string, string>>;
  pageSize: number;
  signal: AbortSignal;
}

/** How far a list was read, and what its totals have said; goes into a connector's cursor. */
export const listingState = z.object({
  /** Of the next resource, from 1; in a list with cursors, how many of the answer were handed on before. */
  next: z.int().nonnegative(),
  /** Resources of an answer that was full. */
  perPage: z.int().nonnegative(),
  seen: z.int().nonnegative(),
  digest: z.int().nonnegative(),
  /** What the service said last; -1 if it did not. */
  total: z.int().min(-1),
  /** By how much the total has grown and shrunk meanwhile. */
  grown: z.int().nonnegative(),
  shrunk: z.int().nonnegative(),
  /** Of the service, where it pages by cursor. */
  cursor: z.string().optional(),
});
export type ListingState = z.infer<typeof listingState>;

export interface ListingPage {
  resources: unknown[];
  /** The place of the first of them in the list as it was read, from 1. */
  place: number;
  state: ListingState;
  last: boolean;
}

/** One answer of a list (RFC 7644, 3.4.2). */
export interface ScimAnswer {
  resources: unknown[];
  total: number | undefined;
  nextCursor: string | undefined;
  from: string;
}

/** Throws SourceError if the answer is no list: one that lacks its resources says nothing of who is there. */
export function scimAnswer(answer: ApiAnswer): ScimAnswer {
  const { body, from } = answer;
  const told = valueAt(body, 'totalResults');
  const total = typeof told === 'number' && Number.isSafeInteger(told) && told >= 0 ? told : undefined;
  const cursor = valueAt(body, 'nextCursor');
  const nextCursor = typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
  // The standard lets the list be absent where there is nothing at all.
  const absent = valueAt(body, 'Resources') === undefined && total === 0;
  return { resources: absent ? [] : listIn(answer, 'Resources'), total, nextCursor, from };
}

/** The totals of one more answer. */
export function withTotal(state: ListingState, total: number | undefined): ListingState {
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
 * Throws SourceError where less was seen than the service says there is, but for what has come meanwhile, or more, unless its
 * total was another before.
 */
export function requireTotal({ seen, total, grown, shrunk }: ListingState, from: string): void {
  const changed = grown + shrunk > 0;
  if (seen + grown >= total && (changed || seen <= total)) return;
  throw new SourceError(`${from} tells of ${total} resources but has given ${seen}: the list is not complete`);
}
