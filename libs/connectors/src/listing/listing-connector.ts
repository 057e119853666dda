import type { RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { type ApiAccess, apiConnector, mapItems, parseCursor } from '../http/api-source.js';
import type { HttpTransport } from '../http/http-transport.js';
import { type ListAnswer, listPlace, readList } from '../http/paging.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonReader } from '../json/json-path.js';
import type { JsonObject } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';

/** The access to an API and the kind of records to read. */
export interface ListingAccess extends ApiAccess {
  records: RecordKind;
}

interface ListingSource {
  access: ListingAccess;
  mapping: Omit<Mapping, 'kind'>;
  /** Creates the lists in reading order. Called for each read, with its connections. */
  listings(transport: HttpTransport): Listing[];
  /** False if finding one record in the lists would take too many calls. */
  readsOne?: boolean;
}

/** Number of documents read per list to discover fields. */
const discoverCount = 50;

/** Creates a connector for a source of lists without incremental reads. Throws SourceError for invalid secrets. */
export function listingConnector({ access, mapping, listings, readsOne = true }: ListingSource): Connector {
  const { readOne, ...connector } = apiConnector({
    access,
    connect: (transport) => ({ lists: listings(transport), waitMs: transport.limits.waitMs }),
    read: ({ lists, waitMs }, options) => readListings(lists, { ...mapping, kind: access.records }, options, waitMs),
    async discover({ lists, waitMs }, signal) {
      const found: JsonObject[] = [];
      for (const listing of lists) {
        const { documents } = await listing.read({ limit: discoverCount, signal, budget: new WaitBudget(waitMs) });
        found.push(...documents.slice(0, discoverCount));
      }
      return jsonFields(found);
    },
  });
  // A record combines several lists, so it cannot be requested alone.
  return readsOne ? { ...connector, readOne } : connector;
}

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

/** A position in one of the lists. */
const placeInAll = z.object({
  list: z.string(),
  /** Absent at the beginning of the list. */
  at: z.custom<Place>((value) => typeof value === 'object' && value !== null).optional(),
});
type PlaceInAll = z.infer<typeof placeInAll>;

const cursorShape = listPlace.refine(({ next }) => next === '' || placeIn(next) !== undefined);

interface ListingAnswer extends ListAnswer {
  /** The fraction of all lists read so far, 0 to 1: within this response and after it. */
  fraction: { within: number; behind: number };
}

/** Reads lists one after another as one source. The last page is the end of the last list. */
export async function* readListings(
  listings: readonly Listing[],
  mapping: Mapping,
  { since, cursor, pageSize, signal }: ReadOptions,
  waitMs: number,
): AsyncGenerator<Page> {
  if (since) throw new CheckpointExpired('this source does not support incremental reads');
  const valuesOf = jsonReader(sourceNames({ external_id: mapping.externalId, fields: mapping.fields }));
  const left = cursor && parseCursor(cursorShape, cursor);
  const ask = async (place: string): Promise<ListingAnswer> => {
    const { list, at } = placeIn(place) ?? { list: listings[0]?.name };
    const index = listings.findIndex(({ name }) => name === list);
    const listing = listings[index];
    if (!listing)
      throw new SourceError('the lists of this connector were changed after the read was interrupted', 'changed');
    const budget = new WaitBudget(waitMs);
    const chunk = await listing.read({ ...(at && { at }), limit: pageSize, signal, budget });
    const following = chunk.next ? listing : listings[index + 1];
    // All lists have the same weight. A response without a fraction counts as the beginning of its list.
    const share = Math.min(1, Math.max(0, chunk.fraction ?? 0));
    const { seen: _, ...position } = chunk.next ?? {};
    return {
      items: chunk.documents,
      from: chunk.from,
      fraction: {
        within: (index + share) / listings.length,
        behind: (index + (chunk.next ? share : 1)) / listings.length,
      },
      ...(following && {
        next: JSON.stringify({ list: following.name, at: chunk.next } satisfies PlaceInAll),
        cycleKey: JSON.stringify([following.name, position]),
      }),
    };
  };
  for await (const { items, place, answer, complete, last } of readList(ask, { pageSize, signal }, left)) {
    yield {
      ...mapItems(items, place.seen - items.length + 1, mapping, valuesOf),
      cursor: place,
      fraction: complete ? answer.fraction.behind : answer.fraction.within,
      last,
    };
  }
}

/** Parses a position. Returns undefined for the beginning of the first list and for invalid text. */
function placeIn(text: string): PlaceInAll | undefined {
  try {
    return placeInAll.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
