import type { WaitBudget } from '../http/waiting.js';
import type { JsonObject } from '../json/json-value.js';

/**
 * Where a list goes on; it stands in cursors, so nothing secret does. `seen` counts what is behind and tells no place from another:
 * who comes twice to the rest of it goes in a circle.
 */
export type Place = Readonly<Record<string, string | number | boolean>> & { readonly seen: number };

/** One answer of a list. */
export interface Chunk {
  /** What there is to map; one that its service does not show is an empty object, which becomes an error. */
  documents: JsonObject[];
  /** Absent only where the service itself has said that this was the end. */
  next?: Place;
  /** How much of the list is behind this, 0 to 1, if that is told. */
  fraction?: number;
  /** What was asked, for messages. */
  from: string;
}

export interface ChunkRequest {
  /** Where to go on; absent at the beginning. */
  at?: Place;
  /** Documents that are wanted at once; a chunk may have more. */
  limit: number;
  signal: AbortSignal;
  /** What all requests for a chunk may wait together. */
  budget: WaitBudget;
}

/** A list of an API that is read from its beginning to its end. */
export interface Listing {
  /** Stands in cursors; unique among the lists of a connector. */
  name: string;
  read(request: ChunkRequest): Promise<Chunk>;
}
