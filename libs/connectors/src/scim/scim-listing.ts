import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { listIn } from '../http/paging.js';
import { scalarText, valueAt } from '../json/json-value.js';

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
export type ListingState = z.infer<typeof listingState>;

export interface ListingPage {
  resources: unknown[];
  /** Position of the first resource in the list as it was read, from 1. */
  place: number;
  state: ListingState;
  last: boolean;
}

/** One list response (RFC 7644, 3.4.2). */
export interface ScimAnswer {
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
 * Throws SourceError if fewer resources were read than the total without additions during the read, or more than a
 * total that did not change.
 */
export function requireTotal({ seen, total, grown, shrunk }: ListingState, from: string): void {
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
export class SeenResources {
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
