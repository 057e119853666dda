import { SourceError } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard, listIn } from '../http/paging.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, valueAt } from '../json/json-value.js';

/** How often a list that does not stay the same while it is read is begun again. */
const maxRestarts = 3;

export interface ObjectQuery {
  path: string;
  /** What it is a list of: `Pod`. */
  kind: string;
  query?: Readonly<Record<string, string | undefined>>;
  /** Asks for names and labels only; what objects hold stays where it is. */
  metadataOnly?: boolean;
}

/** Where a list of objects goes on. */
export interface ListPlace {
  /** The server's token; absent at the beginning. */
  token?: string;
  /** The version that all chunks of one consistent list share. */
  version?: string;
  restarts: number;
  seen: number;
}

export interface ObjectChunk {
  items: JsonObject[];
  next?: ListPlace;
  remaining: number;
  from: string;
}

const metadataType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * One chunk of a list. A token that has expired, or a chunk of another version, would leave a list with gaps: its inconsistent
 * continuation is refused, and the list begins again.
 */
export async function readObjects(
  client: ApiClient,
  { path, kind, query, metadataOnly }: ObjectQuery,
  place: ListPlace,
  about: { limit: number; signal: AbortSignal; budget: WaitBudget },
): Promise<ObjectChunk> {
  const requests = client.page(about.signal, about.budget);
  const answer = await requests
    .get(path, {
      query: { ...query, limit: about.limit, continue: place.token },
      ...(metadataOnly && { headers: { accept: metadataType } }),
    })
    .catch((error: unknown) => {
      if (error instanceof StatusError && error.status === 410 && place.token !== undefined) return error;
      throw error;
    });
  if (answer instanceof StatusError) return again(place, path, answer.message);
  const expected = metadataOnly ? 'PartialObjectMetadataList' : `${kind}List`;
  if (valueAt(answer.body, 'kind') !== expected) throw new SourceError(`${answer.from} answered with no ${expected}`);
  const items = listIn(answer, 'items');
  const metadata = valueAt(answer.body, 'metadata');
  const version = valueAt(metadata, 'resourceVersion');
  const token = valueAt(metadata, 'continue');
  const left = valueAt(metadata, 'remainingItemCount');
  if (typeof version !== 'string' || version === '') {
    throw new SourceError(`${answer.from} answered without metadata.resourceVersion: it is no list of Kubernetes`);
  }
  if (place.version !== undefined && place.version !== version) {
    return again(place, answer.from, `${answer.from} went on with another version of its list`);
  }
  const goesOn = typeof token === 'string' && token !== '';
  const remaining = typeof left === 'number' ? left : 0;
  if (!goesOn && remaining > 0) {
    throw new SourceError(
      `${answer.from} tells of ${remaining} more but not how to get them: the list is not complete`,
    );
  }
  const seen = place.seen + items.length;
  const next = { token: String(token), version, restarts: place.restarts, seen };
  return { items: items.map(asObject), ...(goesOn && { next }), remaining, from: answer.from };
}

export const firstPlace: ListPlace = { restarts: 0, seen: 0 };

/** Reads a whole list, and hands each object to `take`. */
export async function forEachObject(
  client: ApiClient,
  query: ObjectQuery,
  about: { limit: number; signal: AbortSignal; budget: WaitBudget },
  begin: () => void,
  take: (item: JsonObject) => void,
): Promise<void> {
  const circle = new LoopGuard();
  let restarts = -1;
  for (let place: ListPlace | undefined = firstPlace; place; ) {
    if (place.restarts !== restarts) begin();
    restarts = place.restarts;
    const chunk: ObjectChunk = await readObjects(client, query, place, about);
    chunk.items.forEach(take);
    place = chunk.next;
    if (place?.token !== undefined) circle.pass(place.token, chunk.from);
  }
}

function again({ restarts }: ListPlace, from: string, why: string): ObjectChunk {
  if (restarts >= maxRestarts) {
    throw new SourceError(`${why}; begun ${restarts + 1} times, the list could not be read to its end`);
  }
  return { items: [], next: { restarts: restarts + 1, seen: 0 }, remaining: 0, from };
}

function asObject(item: unknown): JsonObject {
  return isObject(item) ? item : {};
}
