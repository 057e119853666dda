import type { WaitBudget } from '../http/waiting.js';
import type { JsonObject } from '../json/json-value.js';

/**
 * A position in a list. It is part of cursors, so it contains no secret. `seen` counts the items before it and is
 * ignored when positions are compared: reaching the same remaining position twice is a cycle.
 */
export type Place = Readonly<Record<string, string | number | boolean>> & { readonly seen: number };

/** One response of a list. */
export interface Chunk {
  /** The objects to map. An object that the service does not show is empty and becomes a record error. */
  documents: JsonObject[];
  /** Absent only if the service itself marked the end. */
  next?: Place;
  /** The fraction of the list read so far, 0 to 1, if known. */
  fraction?: number;
  /** The request, for messages. */
  from: string;
}

export interface ChunkRequest {
  /** The position to continue at; absent at the beginning. */
  at?: Place;
  /** Requested number of documents; a chunk may have more. */
  limit: number;
  signal: AbortSignal;
  /** Shared waiting time of all requests for a chunk. */
  budget: WaitBudget;
}

/** A list of an API. */
export interface Listing {
  /** Part of cursors; unique within a connector. */
  name: string;
  read(request: ChunkRequest): Promise<Chunk>;
}
