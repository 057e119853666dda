import { z } from 'zod';
import { type Page, type ReadOptions, SourceError } from '../connector.js';
import { mapItems, parseCursor } from '../http/api-source.js';
import { type ListAnswer, listPlace, readList } from '../http/read-list.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonReader } from '../json/json-path.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import type { Listing, Place } from './listing.js';

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
  { cursor, pageSize, signal }: ReadOptions,
  waitMs: number,
): AsyncGenerator<Page> {
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
