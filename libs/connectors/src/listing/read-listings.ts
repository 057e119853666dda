import { createHash } from 'node:crypto';
import type { RecordError, SourceRecord } from '@idsync/contracts';
import { z } from 'zod';
import { type Cursor, type Page, type ReadOptions, SourceError } from '../connector.js';
import { LoopGuard } from '../http/paging.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonReader } from '../json/json-path.js';
import type { JsonObject } from '../json/json-value.js';
import { type Mapping, mapRecord } from '../map-record.js';
import { sourceNames } from '../transform.js';
import type { Chunk, Listing, Place } from './listing.js';

/** Answers without a document in a row, after which a service is taken to go on for ever. */
const maxEmptyChunks = 1_000;

const cursorShape = z.object({
  list: z.string(),
  /** The chunk's place as JSON; empty at the beginning. */
  at: z.string().refine((text) => text === '' || isJson(text)),
  /** Documents of the chunk that were handed on, and what they were. */
  skip: z.int().nonnegative(),
  skipped: z.string(),
  /** Documents that are behind. */
  count: z.int().nonnegative(),
});
type Left = z.infer<typeof cursorShape>;

/** Reads lists one after another, a page or more a chunk. The last page is the end of the last list. */
export async function* readListings(
  listings: readonly Listing[],
  mapping: Mapping,
  { cursor, pageSize, signal }: ReadOptions,
  waitMs: number,
): AsyncGenerator<Page> {
  const toPage = pageMaker(mapping);
  const circle = new LoopGuard();
  let left: Left = cursor ? parseCursor(cursor) : beginning(listings[0]);
  for (let empty = 0; ; ) {
    const index = listings.findIndex(({ name }) => name === left.list);
    const listing = listings[index];
    if (!listing) throw new SourceError('what is read was changed since reading was interrupted');
    const at = left.at === '' ? undefined : (JSON.parse(left.at) as Place);
    const chunk = await listing.read({ ...(at && { at }), limit: pageSize, signal, budget: new WaitBudget(waitMs) });
    signal.throwIfAborted();
    const { seen: _, ...unmoved } = at ?? {};
    circle.pass(`${left.list} ${JSON.stringify(unmoved)}`, chunk.from);
    empty = chunk.documents.length === 0 ? empty + 1 : 0;
    if (empty > maxEmptyChunks) throw new SourceError(`${chunk.from} gave ${empty} empty pages in a row`);

    const { documents } = chunk;
    // What was handed on before is handed on again where it is not the same any more: nobody must be missed.
    let start = left.skip > 0 && digest(documents.slice(0, left.skip)) === left.skipped ? left.skip : 0;
    while (documents.length - start > pageSize) {
      const end = start + pageSize;
      const count = left.count + pageSize;
      const page = toPage(documents.slice(start, end), left.count);
      left = { ...left, skip: end, skipped: digest(documents.slice(0, end)), count };
      yield { ...page, ...progress(listings, index, chunk, end), cursor: left, last: false };
      start = end;
    }
    const page = toPage(documents.slice(start), left.count);
    const { next } = chunk;
    const count = left.count + documents.length - start;
    const following = next ? listing : listings[index + 1];
    left = { ...beginning(following ?? listing), ...(next && { at: JSON.stringify(next) }), count };
    const last = following === undefined;
    yield { ...page, ...progress(listings, index, chunk, documents.length), cursor: left, last };
    if (last) return;
  }
}

function beginning(listing: Listing | undefined): Left {
  return { list: listing?.name ?? '', at: '', skip: 0, skipped: '', count: 0 };
}

function parseCursor(cursor: Cursor): Left {
  const parsed = cursorShape.safeParse(cursor);
  if (!parsed.success) throw new SourceError('the place where reading was left is not one of this source');
  return parsed.data;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function digest(documents: readonly JsonObject[]): string {
  return createHash('sha256').update(JSON.stringify(documents)).digest('base64url');
}

/** The lists count alike; an answer that does not tell its own share counts as the beginning of its list. */
function progress(
  listings: readonly Listing[],
  index: number,
  { fraction = 0, next, documents }: Chunk,
  handedOn: number,
): { fraction: number } {
  const within = next || handedOn < documents.length ? Math.min(1, Math.max(0, fraction)) : 1;
  return { fraction: (index + within) / listings.length };
}

function pageMaker(mapping: Mapping) {
  const valuesOf = jsonReader(sourceNames({ external_id: mapping.externalId, fields: mapping.fields }));
  return (documents: readonly JsonObject[], before: number): Pick<Page, 'records' | 'errors'> => {
    // A list that moves while it is read shows one of its records twice: the later word counts.
    const records = new Map<string, SourceRecord>();
    const errors: RecordError[] = [];
    for (const [index, document] of documents.entries()) {
      const mapped = mapRecord(mapping, valuesOf(document));
      if ('record' in mapped) records.set(mapped.record.external_id, mapped.record);
      else errors.push({ line: before + index + 1, ...mapped.error });
    }
    return { records: [...records.values()], errors };
  };
}
